// SPDX-License-Identifier: Apache-2.0
// What `darkroomctl help` says; the man page says it at length.

package enum HelpText {
  package static let overview = """
    darkroomctl asks and steers darkroomd, the photo list daemon.

    Usage: darkroomctl [--root DIR | --socket PATH] [--json] COMMAND ...

      status                 how darkroomd is and what it does
      list                   all lists
      inbox                  the files in the inbox: what becomes of each, and why
      show LIST              one list and its photos
      wait LIST...           wait until lists are finished
      pause LIST             start nothing more of a list
      resume LIST            go on with a paused list
      cancel LIST            give a list up; prints that exist stay
      flush [HOST]           ask hosts that do not answer again, now
      reload                 have darkroomd read its settings again
      watch [LIST]           what is downloaded now: bytes, rate, time left
      cache [clear]          what the cache of originals holds; empty it
      develop FILE...        filter local pictures, without darkroomd
      check FILE             read a photo list and say what is wrong with it
      help [COMMAND]         this text, or more on one command

    LIST is a list's number or its name.

      --root DIR             darkroomd was started with this --root
      --socket PATH          darkroomd's control socket
      --json                 one JSON object instead of words; errors, too
      -h, --help             this text, or more on the command
      --version              the version
      --                     what follows is no option

    More in darkroomctl(1); lists are described in photo-list(5).

    """

  package static func text(_ command: CommandName?) -> String {
    guard let command else { return overview }
    return "Usage: darkroomctl \(usage(command))\n\n\(words(command))\n"
  }

  private static func usage(_ command: CommandName) -> String {
    switch command {
    case .status, .list, .inbox, .reload: command.rawValue
    case .show: "show [--state STATE] LIST"
    case .wait: "wait [--timeout TIME] LIST..."
    case .pause, .resume, .cancel: "\(command.rawValue) LIST"
    case .watch: "watch [LIST]"
    case .cache: "cache [clear]"
    case .flush: "flush [HOST]"
    case .develop:
      "develop [-o DIR] [--filter sepia(AMOUNT)] [--quality Q] [--metadata M] [-j N] [-f]"
        + " FILE..."
    case .check: "check FILE"
    case .help: "help [COMMAND]"
    }
  }

  private static func words(_ command: CommandName) -> String {
    switch command {
    case .status:
      "How darkroomd is and what it does. Exits with 3 when it is not running."
    case .list: "All lists that darkroomd knows, the oldest first."
    case .inbox:
      """
      Looks into the inbox and tells of every file in it: what it waits for, or why it is ignored.
      Then of the last files that have left it: as which list, or why it was rejected.
      """
    case .show:
      """
      One list and its photos, in the order of its file.

        --state STATE   only photos that are new, downloaded, filtered or failed
      """
    case .wait:
      """
      Waits until every list is finished. Exits with 0 if every photo is filtered, 1 if some
      failed, 6 if a list was cancelled, 8 if the time is over first.

        --timeout TIME  \(Amounts.durationSamples)
      """
    case .pause: "Starts nothing more of the list until it is resumed. Kept over restarts."
    case .resume: "Goes on with a paused list."
    case .cancel: "Gives the list up. Prints that exist stay where they are."
    case .flush:
      """
      Asks a host that does not answer, or asked to be left alone, at once. Without one, all of
      them, and every photo that waits for another attempt: that is for root and the daemon's
      user, as is a host that asked to be left alone.
      """
    case .reload: "Has darkroomd read its settings again; says what is wrong with them."
    case .watch:
      """
      Shows the transfers on their way, with bytes, rate and time left, and how far the lists are.
      Goes on until it is interrupted, or until LIST is over; then it exits as wait does.
      """
    case .cache:
      """
      What the cache of originals holds and how often it was of use since darkroomd started.
      'cache clear' empties it.
      """
    case .develop:
      """
      Filters local pictures through a sandboxed worker; darkroomd need not run. Prints have
      the names of their pictures and appear whole or not at all.

        -o DIR          where prints go; the current folder unless told
        --filter F      sepia(0.8) unless told
        --quality Q     of JPEGs: 1 to 100, or source (the default): as the picture has it
        --metadata M    keep (the default), copyright or strip
        -j, --jobs N    so many at once; as many as there are processors unless told
        -f, --force     replace prints that exist (a picture given as input never is)
      """
    case .check:
      "Reads a photo list in a sandboxed worker and says what is wrong with it, if anything."
    case .help: "The commands, or more on one of them."
    }
  }
}
