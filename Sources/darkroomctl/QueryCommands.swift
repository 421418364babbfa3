// SPDX-License-Identifier: Apache-2.0
// The commands that show what there is, that hand in a list, and that wait. Each is one row; its method is in
// `DaemonTalk`.

internal import Vocabulary

enum QueryCommands {
  static let all = [status, list, inbox, submit, show, why, wait]

  private static let status = ToolCommand(
    "status", CommandSyntax("[--check]", options: [.check]),
    "show the state of darkroomd", .state,
    help: """
      Shows the state of darkroomd. Exits with 3 if it is not running.

        --check         print one line for a monitoring system, and exit with 0 if all is well, 1
                        if darkroomd runs but something is wrong, 2 if it is not running or does
                        not answer, 3 if that cannot be told
      """,
    read: ToolArguments.check, run: DaemonTalk.status)

  private static let list = ToolCommand(
    "list",
    CommandSyntax(
      usage: "[--state STATE[,STATE]...] [--user USER]", options: [.listStates, .user]),
    "show all lists", .page,
    help: """
      Shows the lists that darkroomd knows, the newest first. The time left is shown where photos of
      the list have ended in the last minute.

        --state STATE,...  only lists that are accepted, running, paused, finished or cancelled
        --user USER        only lists of this user, by name or number
      """,
    read: ToolArguments.filter, run: DaemonTalk.list)

  private static let inbox = ToolCommand(
    "inbox", CommandSyntax(),
    "show the files in the inbox and their fate", .page,
    help: """
      Scans the inbox and shows, for every file in it, what it waits for or why it is ignored.
      Then shows the last files that have left the inbox, each with the number of its list or
      the reason for its rejection.
      """,
    run: DaemonTalk.inbox)

  private static let submit = ToolCommand(
    "submit",
    CommandSyntax(
      "FILE|URL...|-",
      usage: "[--name NAME] [--wait] [--timeout TIME] [--filter sepia(AMOUNT)] [--quality Q]"
        + " [--metadata M] [--quality-of-service CLASS] [--notify URL] [--private] FILE|FOLDER|PICTURE...|URL...|-",
      options: [
        .name, .wait, .timeout, .filter, .quality, .metadata, .serviceClass, .notify, .isPrivate,
      ], completes: [.files]),
    "give a list or pictures to darkroomd, and show its number",
    help: """
      Reads a list as check does, puts it into the inbox, and waits until it is accepted. The list
      is a file, standard input (-), or URLs.

        --name NAME     the name of the list; default: that of the file, otherwise from the time
        --wait          wait until the list is finished, as wait does
        --timeout TIME  wait, but not longer: \(Amounts.durationSamples)
        --filter F, --quality Q, --metadata M, --quality-of-service CLASS
                        options of the list; those of its photos remain
        --notify URL    post to this URL when the list is over, if darkroomd.conf allows it
        --private       let only you and root read the prints
      """,
    read: ToolArguments.submit, run: DaemonTalk.submit)

  private static let show = ToolCommand(
    "show",
    CommandSyntax(
      "LIST", usage: "[--state STATE] LIST", options: [.photoState], completes: [.lists]),
    "show a list and its photos", .page,
    help: """
      Shows a list and its photos, in the order of the file.

        --state STATE   show only photos that are new, downloaded, filtered or failed
      """,
    read: ToolArguments.show, run: DaemonTalk.show)

  private static let why = ToolCommand(
    "why", CommandSyntax("LIST [PHOTO]", completes: [.lists]),
    "show what photos wait for",
    help: """
      Shows what a list waits for, its unfinished photos by what they wait for, and what a
      person can do. With PHOTO, a number or a name, shows the same for one photo.
      """,
    read: ToolArguments.why, run: DaemonTalk.why)

  private static let wait = ToolCommand(
    "wait",
    CommandSyntax(
      "LIST...", usage: "[--timeout TIME] LIST...", options: [.timeout], completes: [.lists]),
    "wait until lists are finished",
    help: """
      Waits until all of the lists are finished, and shows their progress. A pattern means all lists
      that fit. Exits with 0 if every photo is filtered, 1 if some failed, 6 if a list was cancelled,
      8 if the time is over first. Follows and shows eight lists at a time.

        --timeout TIME  \(Amounts.durationSamples)
      """,
    read: ToolArguments.wait, run: DaemonTalk.wait(_:))
}
