// SPDX-License-Identifier: Apache-2.0
// The text of `darkroomctl help`, a summary of darkroomctl(1).

package enum HelpText {
  package static let overview = """
    Query and control darkroomd, the photo list daemon.

    Usage: darkroomctl [--root DIR | --socket PATH] [--json | --plain] [COMMAND ...]

      status [--check]       show the state of darkroomd
      list                   show all lists
      inbox                  show the files in the inbox and their fate
      submit FILE|URL...|-   give a list or pictures to darkroomd, and show its number
      show LIST              show a list and its photos
      why LIST [PHOTO]       show what photos wait for
      wait LIST...           wait until lists are finished
      pause LIST             start no more photos of a list
      resume LIST            continue a paused list
      cancel LIST            abandon a list; existing prints are kept
      retry LIST [PHOTO...]  do again what failed, or is missing
      remove LIST            remove a list that is over, with its prints and results
      sheet LIST             make the contact sheet of a list that is over
      quality LIST CLASS     change the quality-of-service class of a list
      focus LIST [PHOTO...]  let photos go first for a while
      unfocus LIST           end the focus on a list
      open LIST              look at a list in a browser while its prints appear
      flush [HOST]           retry failing hosts now
      nodes                  show the machines that share lists
      drain NODE             give a machine no new photos
      reload                 make darkroomd read its settings again
      config                 show the settings in force and their files
      watch [LIST]           show the downloads in progress
      cache [clear]          show or empty the cache of originals
      metrics                show numbers for a monitoring system
      develop FILE...        filter local pictures, without darkroomd
      check FILE             check a photo list for errors
      verify LIST            compare the prints of a list with the record
      journal VERB [DIR]     verify, dump or stat the journal file
      log [LIST [PHOTO]]     show the messages about a list or a photo, from journald
      help [COMMAND]         show this text, or the help of a command

    LIST is the number or the name of a list. Without a command, darkroomctl shows the state of
    darkroomd and the lists with work left.

      --root DIR             use the darkroomd that was started with this --root; default:
                             $DARKROOM_ROOT
      --socket PATH          use this control socket
      --json                 print results and errors as JSON
      --plain                print columns for scripts: no headings, one TAB between columns
      --no-pager             show long results without $DARKROOM_PAGER, $PAGER or less
      -h, --help             show this text, or the help of the command
      --version              print the version
      --                     end the options

    See darkroomctl(1), and photo-list(5) for the format of lists.

    """

  package static func text(_ command: CommandName?) -> String {
    guard let command else { return overview }
    return "Usage: darkroomctl \(usage(command))\n\n\(words(command))\n"
  }

  private static func usage(_ command: CommandName) -> String {
    switch command {
    case .status: "status [--check]"
    case .inbox, .reload, .config, .metrics, .nodes: command.rawValue
    case .list: "list [--state STATE[,STATE]...] [--user USER]"
    case .submit:
      "submit [--name NAME] [--wait] [--timeout TIME] [--filter sepia(AMOUNT)] [--quality Q]"
        + " [--metadata M] [--quality-of-service CLASS] [--notify URL] [--private] FILE|FOLDER|PICTURE...|URL...|-"
    case .show: "show [--state STATE] LIST"
    case .wait: "wait [--timeout TIME] LIST..."
    case .pause, .resume: "\(command.rawValue) LIST | --all | --user USER"
    case .cancel: "cancel LIST | --user USER"
    case .remove: "remove LIST"
    case .sheet: "sheet LIST"
    case .retry: "retry LIST [PHOTO|RANGE...]"
    case .quality: "quality LIST CLASS"
    case .focus: "focus [--for TIME] LIST [PHOTO|RANGE...]"
    case .unfocus: "unfocus LIST"
    case .open: "open [--address URL] LIST"
    case .why: "why LIST [PHOTO]"
    case .watch: "watch [LIST]"
    case .cache: "cache [clear]"
    case .flush: "flush [HOST]"
    case .drain: "drain [--now] [--wait] NODE | --off NODE"
    case .develop:
      "develop [-o DIR] [--filter sepia(AMOUNT)] [--quality Q] [--metadata M] [-j N] [-f]"
        + " FILE..."
    case .check: "check FILE"
    case .verify: "verify LIST|RESULTS"
    case .journal: "journal verify|dump|stat [DIR]"
    case .log: "log [-f] [-n N] [-x] [LIST [PHOTO]]"
    case .help: "help [COMMAND]"
    }
  }

  private static func words(_ command: CommandName) -> String {
    switch command {
    case .status:
      """
      Shows the state of darkroomd. Exits with 3 if it is not running.

        --check         print one line for a monitoring system, and exit with 0 if all is well, 1
                        if darkroomd runs but something is wrong, 2 if it is not running or does
                        not answer, 3 if that cannot be told
      """
    case .list: list
    case .inbox: inbox
    case .submit: submit
    case .show:
      """
      Shows a list and its photos, in the order of the file.

        --state STATE   show only photos that are new, downloaded, filtered or failed
      """
    case .wait: wait
    case .pause: pause
    case .resume: resume
    case .cancel: cancel
    case .retry:
      """
      Makes a new list with the same name, photos and settings, and shows its number. It keeps the
      prints of LIST and does again what failed or, after a cancel, what is missing. With PHOTO
      (numbers, ranges such as 10-20, and names), tries again only those that failed; the
      others that failed stay failed.
      """
    case .remove: remove
    case .sheet: sheet
    case .quality: quality
    case .focus: focus
    case .unfocus: "Ends your focus on the list. Photos that are under way continue."
    case .open: open
    case .why: why
    case .flush:
      """
      Retries a host now that does not answer or has asked to be left alone. Without HOST,
      retries all such hosts, and every photo that waits for another attempt. Only root and
      the daemon's user may flush all hosts, or a host that has asked to be left alone.
      """
    case .nodes: nodes
    case .drain: drain
    case .reload: "Makes darkroomd read its settings again. Fails if they are wrong."
    case .config:
      """
      Shows each setting, its value in force, and the file and line that it comes from. A changed
      setting that takes effect at the next start has a second line.
      """
    case .watch:
      """
      Shows the transfers in progress, with bytes, rate and time left, and the progress of the
      lists. Runs until it is interrupted, or until LIST is over; then it exits as wait does.
      """
    case .cache:
      """
      Shows the contents of the cache of originals, and its hits and misses since darkroomd
      started. 'cache clear' empties it.
      """
    case .metrics: metrics
    case .develop: develop
    case .check: "Reads a photo list in a sandboxed worker and shows its photos and errors."
    case .verify: verify
    case .journal: journal
    case .log: log
    case .help: "Shows the commands, or the help of one of them."
    }
  }

  private static let nodes = """
    Shows the machines that share lists through a ledger: the state of each, when it was heard, and
    how many photos it has leased. The photos of a machine that is silent for longer than
    LeaseTime= go to others. See darkroom-cluster(7).
    """

  private static let drain = """
    Lets a machine take no new photos; it finishes those that it has. A restart of its darkroomd
    ends the drain. Only root and the daemon's user may drain.

      --now           give the photos back instead of finishing them; for the machine on which
                      darkroomctl runs
      --wait          wait until it has none left
      --off           let it take new photos again
    """

  private static let verify = """
    Reads the prints of a list, and compares them with the record: each must be there, with the
    recorded size and contents. Names each missing and each changed print. RESULTS, a path with
    a '/' or the ending .jsonl, is a results file of darkroomd run, and needs no daemon. Exits
    with 0 if all prints are as recorded, 1 if not, 2 if some cannot be read.
    """

  private static let list = """
    Shows the lists that darkroomd knows, the newest first. The time left is shown where photos of
    the list have ended in the last minute.

      --state STATE,...  only lists that are accepted, running, paused, finished or cancelled
      --user USER        only lists of this user, by name or number
    """

  private static let pause = """
    Starts no more photos of the list until it is resumed, even after a restart.

      --all           all lists at work: as root those of every user, otherwise your own
      --user USER     all lists at work of this user, by name or number
    """

  private static let resume = """
    Continues a paused list.

      --all           all paused lists: as root those of every user, otherwise your own
      --user USER     all paused lists of this user, by name or number
    """

  private static let cancel = """
    Abandons the list. Existing prints are kept.

      --user USER     all lists of this user that are not over, by name or number
    """

  private static let inbox = """
    Scans the inbox and shows, for every file in it, what it waits for or why it is ignored.
    Then shows the last files that have left the inbox, each with the number of its list or
    the reason for its rejection.
    """

  private static let wait = """
    Waits until all of the lists are finished, and shows their progress. A pattern means all lists
    that fit. Exits with 0 if every photo is filtered, 1 if some failed, 6 if a list was cancelled,
    8 if the time is over first. Follows and shows eight lists at a time.

      --timeout TIME  \(Amounts.durationSamples)
    """

  private static let develop = """
    Filters local pictures in sandboxed workers; darkroomd need not be running. Prints have
    the names of their pictures and appear complete or not at all.

      -o, --output DIR   the folder for the prints; default: the current folder
      --filter F         sepia(AMOUNT); default: sepia(0.8)
      --quality Q        the quality of JPEG prints: 1 to 100, or source (default)
      --metadata M       keep (default), copyright or strip
      -j, --jobs N       pictures at once; default: the number of processors
      -f, --force        replace existing prints, but never an input
    """

  private static let submit = """
    Reads a list as check does, puts it into the inbox, and waits until it is accepted. The list
    is a file, standard input (-), or URLs.

      --name NAME     the name of the list; default: that of the file, otherwise from the time
      --wait          wait until the list is finished, as wait does
      --timeout TIME  wait, but not longer: \(Amounts.durationSamples)
      --filter F, --quality Q, --metadata M, --quality-of-service CLASS
                      options of the list; those of its photos remain
      --notify URL    post to this URL when the list is over, if darkroomd.conf allows it
      --private       let only you and root read the prints
    """

  private static let journal = """
    Reads the journal file of a state folder; darkroomd may be running or not. Changes nothing.
    DIR is the state folder; default: that of --root, or /var/lib/darkroom/state.

      verify   look for damage; exits with 0 if the journal file is whole, 1 if records are
               damaged or missing, 2 if it cannot be read
      dump     show every record, with its file and offset
      stat     show the numbers of lists, photos, records and bytes
    """

  private static let remove = """
    Removes a list that is finished or cancelled: its prints, its copy, its results and its
    retry list, and those of the earlier lists of its name that it took over from. Nothing
    brings them back. A new list of that name begins afresh.
    """

  private static let sheet = """
    Makes the contact sheet of a list that is finished or cancelled, and the thumbnails that are
    missing, and shows the path of its first page, which a browser opens. darkroomd makes the
    sheet by itself while a list is at work, unless ContactSheet=no.
    """

  private static let log = """
    Shows the messages that systemd-journald has of darkroomd, the oldest first, with advice:
    those about a list, also while it was a file in the inbox, or about a photo of it. LIST may
    be a list that darkroomd has forgotten, or a rejected file.

      -f, --follow    show new messages as they come
      -n, --lines N   show the last N messages, or all; default: 10 with --follow, otherwise all
      -x, --explain   show the explanations of the message catalog
    """

  private static let focus = """
    Lets photos go first within the share of the list's owner: numbers, ranges such as 10-20,
    and names. Without any, the first 1000 photos that are not done. Ask again to renew the
    focus or to replace its photos. A restart forgets it; in a cluster, the ledger keeps it.

      --for TIME      how long: 1s to 1h; default: 1min
    """

  private static let open = """
    Prints the address of a page that shows the photos of a list, and opens it in a browser if
    there is a display. Prints appear on it as they are made, and the photos that it shows go
    first. The address works once, within two minutes.

      --address URL   where people reach darkroom-web, for example behind a proxy; default:
                      http://127.0.0.1:8473, or with --root one that is started for you
    """

  private static let why = """
    Shows what a list waits for, its unfinished photos by what they wait for, and what a
    person can do. With PHOTO, a number or a name, shows the same for one photo.
    """

  private static let metrics = """
    Prints numbers of darkroomd in Prometheus' text format, for the textfile collector of its
    node exporter. Counters begin with the start of darkroomd. MONITORING in darkroomd(8) has
    a cron line and alerts.
    """

  private static let quality = """
    Changes the quality-of-service class of a list that is not over, also for the time after
    a restart. Photos that set a class of their own keep it. CLASS is userInteractive,
    userInitiated, default, utility or background.
    """
}
