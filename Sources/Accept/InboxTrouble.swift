// SPDX-License-Identifier: Apache-2.0
// The failures of the inbox as a whole: what happened, and what to do about it.

internal import Linux
import Vocabulary

enum InboxTrouble {
  /// The path does not exist, or the daemon may not open it.
  static func lost(_ path: String, _ error: SystemError) -> Failure {
    Failure(
      .machine, code: "inbox.lost", reason: "the inbox cannot be opened: \(error)",
      advice: "Restore \(path); accepted lists continue meanwhile. "
        + "To create it again: systemd-tmpfiles --create darkroom.conf, or mkdir")
  }

  /// The folder has no mark of the inbox.
  static func unmarked(_ path: String, isElsewhere: Bool) -> Failure {
    Failure(
      .machine, code: "inbox.marker",
      reason: "\(path) is not the known inbox: it has no .claim folder owned by the daemon",
      advice: isElsewhere
        ? "Mount the right file system. To use this folder as the inbox from now on: "
          + "systemd-tmpfiles --create darkroom.conf, or create \(path)/.claim as the daemon's user, with mode 0700"
        : "Restore the folder. To use this one as the inbox from now on: systemd-tmpfiles --create "
          + "darkroom.conf, then systemctl reload darkroom, or darkroomd --reload")
  }

  static func unmounted(_ path: String) -> Failure {
    Failure(
      .machine, code: "inbox.unmounted",
      reason: "the inbox is not mounted: \(path) was a mount point and is a plain folder now",
      advice: "Mount it. To use the plain folder from now on, remove the file inbox in the "
        + "state folder and restart darkroomd")
  }

  static func taken(_ path: String, by process: Int32? = nil) -> Failure {
    let number = process.map { " (pid \($0))" } ?? ""
    return Failure(
      .machine, code: "inbox.taken",
      reason: "another darkroomd\(number) uses the same inbox \(path)",
      advice: "Stop one of them, or give each its own inbox")
  }

  static func unreadable(_ error: SystemError) -> Failure {
    Failure(
      .machine, code: "inbox.read", reason: "the inbox cannot be read: \(error)",
      advice: "Allow the daemon's user to read, write and enter it")
  }

  static func unchangeable(
    _ path: String, _ error: SystemError, linkedTo real: String?
  ) -> Failure {
    guard error.name == .readOnly else {
      return Failure(
        .machine, code: "inbox.forbidden", reason: "no file may leave the inbox: \(error)",
        advice: "Allow the daemon's user to write to it: chmod u+rwx \(path), or chown")
    }
    if let real {
      return Failure(
        .machine, code: "inbox.sandbox",
        reason: "the inbox is a link to \(real), which darkroomd may not write",
        advice: SandboxAdvice.words(path, linkedTo: real))
    }
    return Failure(
      .machine, code: "inbox.readonly",
      reason: "the inbox is on a read-only file system, so no list can leave it",
      advice: "Mount it writable again: mount -o remount,rw; if it was read-only at "
        + "the start of the service, then systemctl restart darkroom")
  }

  /// Places for waiting files are taken.
  /// - Parameter user: has the own share of places taken, and can give them back; nil if the places of all users are taken.
  static func crowded(_ user: UInt32?, _ limits: WaitingLimits) -> Failure {
    let advice =
      "Remove the files that cannot become lists, such as files that the daemon may not read"
    guard let user else {
      return Failure(
        .machine, code: "inbox.crowded",
        reason: "\(limits.total) files wait in the inbox, which is the limit", advice: advice)
    }
    return Failure(
      .final, code: "inbox.share",
      reason:
        "\(limits.share) files of user \(user) wait in the inbox, which is the limit for one user",
      advice: advice)
  }

  static func unwatched(_ error: SystemError) -> Failure {
    let limit =
      error.name == .noSpace ? "fs.inotify.max_user_watches" : "fs.inotify.max_user_instances"
    let isLimit = error.name == .noSpace || error.name == .filesOpen
    return Failure(
      .machine, code: "inbox.watch",
      reason: "the inbox cannot be watched; it is polled every few seconds"
        + (isLimit ? " (\(limit) is reached)" : " (\(error.words))"),
      advice: isLimit ? "Raise the limit: sysctl \(limit)=1048576" : "")
  }

  /// A foreign `.claim` cannot be moved away, or the daemon cannot create its own.
  static func claim(_ path: String, _ error: SystemError) -> Failure {
    if error.isMissing { return unmarked(path, isElsewhere: false) }
    if !error.isOfOneThing { return error.machineFailure }
    let user = ThisProcess.user
    if let owner = try? LinuxFolder.open(path: "\(path)/.claim").owner(), owner != user {
      return Failure(
        .machine, code: "inbox.claim",
        reason: "the folder .claim in the inbox belongs to user \(owner), and darkroomd runs as "
          + "user \(user): \(error)",
        advice: "Give the inbox and its folder .claim to the user of darkroomd: "
          + "chown \(user) \(path) \(path)/.claim; or run darkroomd as the user who owns them")
    }
    return Failure(
      .machine, code: "inbox.claim",
      reason: "the folder .claim in the inbox cannot be used: \(error)",
      advice: "Remove \(path)/.claim")
  }
}
