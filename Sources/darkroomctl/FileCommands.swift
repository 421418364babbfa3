// SPDX-License-Identifier: Apache-2.0
// The commands that work on files of this machine, with or without the daemon, and the help. Each is one row; its
// method is in `DaemonTalk`.

internal import Vocabulary

enum FileCommands {
  static let all = [develop, check, verify, journal, log, completion, help]

  private static let develop = ToolCommand(
    "develop",
    CommandSyntax(
      "FILE...",
      usage: "[-o DIR] [--filter sepia(AMOUNT)] [--quality Q] [--metadata M] [-j N] [-f]"
        + " FILE...", options: [.output, .filter, .quality, .metadata, .jobs, .force],
      completes: [.files]),
    "filter local pictures, without darkroomd",
    help: """
      Filters local pictures in sandboxed workers; darkroomd need not be running. Prints have
      the names of their pictures and appear complete or not at all.

        -o, --output DIR   the folder for the prints; default: the current folder
        --filter F         sepia(AMOUNT); default: sepia(0.8)
        --quality Q        the quality of JPEG prints: 1 to 100, or source (default)
        --metadata M       keep (default), copyright or strip
        -j, --jobs N       pictures at once; default: the number of processors
        -f, --force        replace existing prints, but never an input
      """,
    read: ToolArguments.develop, run: DaemonTalk.develop)

  private static let check = ToolCommand(
    "check", CommandSyntax("FILE", completes: [.files]),
    "check a photo list for errors",
    help: "Reads a photo list in a sandboxed worker and shows its photos and errors.",
    read: ToolArguments.file, run: DaemonTalk.check)

  private static let verify = ToolCommand(
    "verify", CommandSyntax("LIST", usage: "LIST|RESULTS", completes: [.results]),
    "compare the prints of a list with the record",
    help: """
      Reads the prints of a list, and compares them with the record: each must be there, with the
      recorded size and contents. Names each missing and each changed print. RESULTS, a path with
      a '/' or the ending .jsonl, is a results file of darkroomd run, and needs no daemon. Exits
      with 0 if all prints are as recorded, 1 if not, 2 if some cannot be read.
      """,
    read: ToolArguments.list, run: DaemonTalk.verify)

  private static let journal = ToolCommand(
    "journal",
    CommandSyntax(
      "VERB [DIR]", usage: "verify|dump|stat [DIR]",
      completes: [.words(JournalTask.Verb.allCases.map(\.rawValue)), .folders]),
    "verify, dump or stat the journal file",
    help: """
      Reads the journal file of a state folder; darkroomd may be running or not. Changes nothing.
      DIR is the state folder; default: that of --root, or /var/lib/darkroom/state.

        verify   look for damage; exits with 0 if the journal file is whole, 1 if records are
                 damaged or missing, 2 if it cannot be read
        dump     show every record, with its file and offset
        stat     show the numbers of lists, photos, records and bytes
      """,
    read: ToolArguments.journal, run: DaemonTalk.journal)

  private static let log = ToolCommand(
    "log",
    CommandSyntax(
      "[LIST [PHOTO]]", usage: "[-f] [-n N] [-x] [LIST [PHOTO]]",
      options: [.follow, .lines, .explain], completes: [.lists]),
    "show the messages about a list or a photo, from journald", .page,
    help: """
      Shows the messages that systemd-journald has of darkroomd, the oldest first, with advice:
      those about a list, also while it was a file in the inbox, or about a photo of it. LIST may
      be a list that darkroomd has forgotten, or a rejected file.

        -f, --follow    show new messages as they come
        -n, --lines N   show the last N messages, or all; default: 10 with --follow, otherwise all
        -x, --explain   show the explanations of the message catalog
      """,
    read: ToolArguments.log, run: DaemonTalk.log)

  private static let completion = ToolCommand(
    "completion",
    CommandSyntax(
      "SHELL", usage: "bash|zsh|fish", completes: [.words(ShellCompletion.allCases.map(\.rawValue))]
    ),
    "print the completions of darkroomctl for a shell", .show,
    help: """
      Prints what makes a shell complete darkroomctl: its commands, its options, and the lists, hosts and
      nodes that darkroomd knows. The package has these files; to try one in bash, enter
      'source <(darkroomctl completion bash)'.
      """,
    read: ToolArguments.shell, run: DaemonTalk.completion)

  private static let help = ToolCommand(
    "help", CommandSyntax("[COMMAND]", completes: [.commands]),
    "show this text, or the help of a command", .page,
    help: "Shows the commands, or the help of one of them.",
    read: ToolArguments.helped, run: DaemonTalk.help)
}
