// SPDX-License-Identifier: Apache-2.0
// The commands about the daemon, its machines and its measurements. Each is one row; its method is in `DaemonTalk`.

internal import Vocabulary

enum MachineCommands {
  static let all = [flush, nodes, drain, reload, config, watch, cache, metrics]

  private static let flush = ToolCommand(
    "flush", CommandSyntax("[HOST]", completes: [.hosts]),
    "retry failing hosts now",
    help: """
      Retries a host now that does not answer or has asked to be left alone. Without HOST,
      retries all such hosts, and every photo that waits for another attempt. Only root and
      the daemon's user may flush all hosts, or a host that has asked to be left alone.
      """,
    read: ToolArguments.word, run: DaemonTalk.flush)

  private static let nodes = ToolCommand(
    "nodes", CommandSyntax(),
    "show the machines that share lists",
    help: """
      Shows the machines that share lists through a ledger: the state of each, when it was heard, and
      how many photos it has leased. The photos of a machine that is silent for longer than
      LeaseTime= go to others. See darkroom-cluster(7).
      """,
    run: DaemonTalk.nodes)

  private static let drain = ToolCommand(
    "drain",
    CommandSyntax(
      "NODE", usage: "[--now] [--wait] NODE | --off NODE", options: [.now, .waitForNode, .off],
      completes: [.nodes]),
    "give a machine no new photos",
    help: """
      Lets a machine take no new photos; it finishes those that it has. A restart of its darkroomd
      ends the drain. Only root and the daemon's user may drain.

        --now           give the photos back instead of finishing them; for the machine on which
                        darkroomctl runs
        --wait          wait until it has none left
        --off           let it take new photos again
      """,
    read: ToolArguments.drain, run: DaemonTalk.drain
  )
  .failing(to: "drain")

  private static let reload = ToolCommand(
    "reload", CommandSyntax(),
    "make darkroomd read its settings again",
    help: "Makes darkroomd read its settings again. Fails if they are wrong.",
    run: DaemonTalk.reload
  )
  .failing { _ in "reload the settings" }

  private static let config = ToolCommand(
    "config", CommandSyntax(),
    "show the settings in force and their files", .page,
    help: """
      Shows each setting, its value in force, and the file and line that it comes from. A changed
      setting that takes effect at the next start has a second line.
      """,
    run: DaemonTalk.config)

  private static let watch = ToolCommand(
    "watch", CommandSyntax("[LIST]", completes: [.lists]),
    "show the downloads in progress", .show,
    help: """
      Shows the transfers in progress, with bytes, rate and time left, and the progress of the
      lists. Runs until it is interrupted, or until LIST is over; then it exits as wait does.
      """,
    read: ToolArguments.maybeList, run: DaemonTalk.watch)

  private static let cache = ToolCommand(
    "cache", CommandSyntax("[clear]", completes: [.words(["clear"])]),
    "show or empty the cache of originals",
    help: """
      Shows the contents of the cache of originals, and its hits and misses since darkroomd
      started. 'cache clear' empties it.
      """,
    read: ToolArguments.clear, run: DaemonTalk.cache
  )
  .failing { $0.map { _ in "empty the cache" } }

  private static let metrics = ToolCommand(
    "metrics", CommandSyntax(),
    "show numbers for a monitoring system",
    help: """
      Prints numbers of darkroomd in Prometheus' text format, for the textfile collector of its
      node exporter. Counters begin with the start of darkroomd. MONITORING in darkroomd(8) has
      a cron line and alerts.
      """,
    run: DaemonTalk.metrics)
}
