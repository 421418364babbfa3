// SPDX-License-Identifier: Apache-2.0
// Why a list cannot get its name in the inbox: another file has the name. A file of this user leaves the inbox when it is
// accepted; a file of another user may be one that the daemon cannot read, and stay.

internal import Files
internal import Linux
internal import Vocabulary

enum InboxName {
  /// - Parameter inbox: nil if it cannot be opened.
  static func taken(
    _ name: FileName, in inbox: LinuxFolder?, for user: UInt32 = ThisProcess.user
  ) -> Failure {
    let status = try? inbox?.status(ifThere: name)
    if let owner = status?.owner, owner != user {
      return Failure(
        .final, code: "list.name", reason: "'\(name)' in the inbox belongs to another user",
        advice: "Choose another name with --name")
    }
    return Failure(
      .final, code: "list.name", reason: "'\(name)' is still in the inbox",
      advice:
        "Wait until it is accepted, remove it if 'darkroomctl inbox' says that it is ignored, or choose "
        + "another name with --name")
  }
}
