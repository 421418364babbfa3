// SPDX-License-Identifier: Apache-2.0
// The commands that change a list. Each is one row; its method is in `DaemonTalk`.

internal import Vocabulary

enum ListCommands {
  static let all = [
    pause, resume, cancel, retry, remove, prune, sheet, quality, focus, unfocus, open,
  ]

  private static let pause = ToolCommand(
    "pause",
    CommandSyntax(
      "LIST", usage: "LIST | --all | --user USER", options: [.all, .user], completes: [.lists]),
    "start no more photos of a list",
    help: """
      Starts no more photos of the list until it is resumed, even after a restart.

        --all           all lists at work: as root those of every user, otherwise your own
        --user USER     all lists at work of this user, by name or number
      """,
    read: ToolArguments.choice, run: DaemonTalk.pause
  )
  .failing(to: "pause")

  private static let resume = ToolCommand(
    "resume",
    CommandSyntax(
      "LIST", usage: "LIST | --all | --user USER", options: [.all, .user], completes: [.lists]),
    "continue a paused list",
    help: """
      Continues a paused list.

        --all           all paused lists: as root those of every user, otherwise your own
        --user USER     all paused lists of this user, by name or number
      """,
    read: ToolArguments.choice, run: DaemonTalk.resume
  )
  .failing(to: "resume")

  private static let cancel = ToolCommand(
    "cancel",
    CommandSyntax("LIST", usage: "LIST | --user USER", options: [.user], completes: [.lists]),
    "abandon a list; existing prints are kept",
    help: """
      Abandons the list. Existing prints are kept.

        --user USER     all lists of this user that are not over, by name or number
      """,
    read: ToolArguments.choice, run: DaemonTalk.cancel
  )
  .failing(to: "cancel")

  private static let retry = ToolCommand(
    "retry", CommandSyntax("LIST [PHOTO...]", usage: "LIST [PHOTO|RANGE...]", completes: [.lists]),
    "do again what failed, or is missing",
    help: """
      Makes a new list with the same name, photos and settings, and shows its number. It keeps the
      prints of LIST and does again what failed or, after a cancel, what is missing. With PHOTO
      (numbers, ranges such as 10-20, and names), tries again only those that failed; the
      others that failed stay failed.
      """,
    read: ToolArguments.retry, run: DaemonTalk.retry
  )
  .failing(to: "retry")

  private static let remove = ToolCommand(
    "remove", CommandSyntax("LIST...", completes: [.lists]),
    "remove lists that are over, with prints and results",
    help: """
      Removes a list that is finished or cancelled: its prints, its copy, its results and its
      retry list, and those of the earlier lists of its name that it took over from. Nothing
      brings them back. A new list of that name begins afresh. If one of several lists cannot be
      removed, the others are, and the exit code is 1.
      """,
    read: ToolArguments.lists, run: DaemonTalk.remove
  )
  .failing(to: "remove")

  private static let prune = ToolCommand(
    "prune",
    CommandSyntax(
      "[LIST...]",
      usage: "[--older-than TIME] [--state STATE[,STATE]] [--user USER] [--dry-run] [LIST...]",
      options: [.age, .ends, .user, .rehearsal], completes: [.lists]),
    "remove all lists that are over and fit",
    help: """
      Removes all of your lists, or as root those of every user, that are over and fit, as remove
      does: nothing brings them back. LIST is a number, a name or a pattern such as 'trip-*', and
      means all lists of that name. At least one of LIST, --older-than, --state and --user is
      needed. If a list cannot be removed, the others are, and the exit code is 1.

        --older-than TIME  only lists that ended so long ago, such as 12h or 30d
        --state STATE,...  only lists that are finished or cancelled
        --user USER        only lists of this user, by name or number
        --dry-run          show the lists and the room that their prints take; remove nothing
      """,
    read: ToolArguments.prune, run: { PruneRun(talk: $0).run })

  private static let sheet = ToolCommand(
    "sheet", CommandSyntax("LIST", completes: [.lists]),
    "make the contact sheet of a list that is over",
    help: """
      Makes the contact sheet of a list that is finished or cancelled, and the thumbnails that are
      missing, and shows the path of its first page, which a browser opens. darkroomd makes the
      sheet by itself while a list is at work, unless ContactSheet=no.
      """,
    read: ToolArguments.list, run: DaemonTalk.sheet
  )
  .failing(to: "make the contact sheet of")

  private static let quality = ToolCommand(
    "quality", CommandSyntax("LIST CLASS", completes: [.lists, .classes]),
    "change the quality-of-service class of a list",
    help: """
      Changes the quality-of-service class of a list that is not over, also for the time after
      a restart. Photos that set a class of their own keep it. CLASS is userInteractive,
      userInitiated, default, utility or background.
      """,
    read: ToolArguments.quality, run: DaemonTalk.quality
  )
  .failing(to: "change the class of")

  private static let focus = ToolCommand(
    "focus",
    CommandSyntax(
      "LIST [PHOTO...]", usage: "[--for TIME] LIST [PHOTO|RANGE...]", options: [.lease],
      completes: [.lists]),
    "let photos go first for a while",
    help: """
      Lets photos go first within the share of the list's owner: numbers, ranges such as 10-20,
      and names. Without any, the first 1000 photos that are not done. Ask again to renew the
      focus or to replace its photos. A restart forgets it; in a cluster, the ledger keeps it.

        --for TIME      how long: 1s to 1h; default: 1min
      """,
    read: ToolArguments.focus, run: DaemonTalk.focus
  )
  .failing(to: "focus on")

  private static let unfocus = ToolCommand(
    "unfocus", CommandSyntax("LIST", completes: [.lists]),
    "end the focus on a list",
    help: "Ends your focus on the list. Photos that are under way continue.",
    read: ToolArguments.list, run: DaemonTalk.unfocus)

  private static let open = ToolCommand(
    "open",
    CommandSyntax("LIST", usage: "[--address URL] LIST", options: [.address], completes: [.lists]),
    "look at a list in a browser while its prints appear",
    help: """
      Prints the address of a page that shows the photos of a list, and opens it in a browser if
      there is a display. Prints appear on it as they are made, and the photos that it shows go
      first. The address works once, within two minutes.

        --address URL   where people reach darkroom-web, for example behind a proxy; default:
                        http://127.0.0.1:8473, or with --root one that is started for you
      """,
    read: ToolArguments.open, run: DaemonTalk.open
  )
  .failing(to: "open")
}
