// SPDX-License-Identifier: Apache-2.0
// What may be wrong with the inbox as a whole, in words: what happened, and exactly what to do.

internal import Vocabulary

enum InboxTrouble {
  /// The path leads nowhere, or not for us.
  static func lost(_ path: String, _ error: SystemError) -> Failure {
    Failure(
      .machine, code: "inbox.lost", reason: "the inbox cannot be opened: \(error)",
      advice: "Bring \(path) back; lists that were taken in go on meanwhile. "
        + "To make it anew: systemd-tmpfiles --create darkroom.conf, or mkdir")
  }

  /// There is a folder, but nothing says that it is the inbox.
  static func unmarked(_ path: String, isElsewhere: Bool) -> Failure {
    Failure(
      .machine, code: "inbox.marker",
      reason: "\(path) is not the inbox that it was: there is no .claim of ours in it",
      advice: isElsewhere
        ? "Mount what belongs there. If this is to be the inbox from now on, make the folder "
          + "\(path)/.claim as the daemon's own user, mode 0700"
        : "Bring the folder back. If this is to be the inbox from now on: systemctl reload "
          + "darkroom, or darkroomd --reload")
  }

  static func unmounted(_ path: String) -> Failure {
    Failure(
      .machine, code: "inbox.unmounted",
      reason: "the inbox is not mounted: \(path) is a plain folder now, and was a mount",
      advice: "Mount it. If it is to be a plain folder from now on, remove the file inbox in the "
        + "state folder and restart darkroomd")
  }

  static func taken(_ path: String) -> Failure {
    Failure(
      .machine, code: "inbox.taken",
      reason: "another darkroomd is taking lists from the same inbox \(path)",
      advice: "Stop one of them, or give each an inbox of its own")
  }

  static func unreadable(_ error: SystemError) -> Failure {
    Failure(
      .machine, code: "inbox.read", reason: "the inbox cannot be read: \(error)",
      advice: "Let the daemon's user read, write and enter it")
  }

  static func unchangeable(_ path: String, _ error: SystemError) -> Failure {
    error.code == 30
      ? Failure(
        .machine, code: "inbox.readonly",
        reason: "the inbox is on a read-only file system, so no list can leave it",
        advice: "Mount it writable again: mount -o remount,rw")
      : Failure(
        .machine, code: "inbox.forbidden", reason: "we may take nothing out of the inbox: \(error)",
        advice: "Let the daemon's user write to it: chmod u+rwx \(path), or chown")
  }

  static func unwatched(_ error: SystemError) -> Failure {
    let limit = error.code == 28 ? "fs.inotify.max_user_watches" : "fs.inotify.max_user_instances"
    let isLimit = error.code == 28 || error.code == 24
    return Failure(
      .machine, code: "inbox.watch",
      reason: "the inbox cannot be watched; it is looked at every few seconds"
        + (isLimit ? " (\(limit) is reached)" : " (\(error.words))"),
      advice: isLimit ? "Raise it: sysctl \(limit)=1048576" : "")
  }

  /// Something is in the place of our folder that cannot be moved, or ours cannot be made.
  static func claim(_ path: String, _ error: SystemError) -> Failure {
    if error.isMissing { return unmarked(path, isElsewhere: false) }
    if !error.isOfOneThing { return error.machine }
    return Failure(
      .machine, code: "inbox.claim",
      reason: "the folder .claim in the inbox cannot be used: \(error)",
      advice: "Remove what lies there under that name")
  }
}
