// SPDX-License-Identifier: Apache-2.0
// Keeps root from the folders of another user's daemon: root would leave files there that the daemon may not change,
// which would stop it, and would take lists that belong to the daemon. Root uses another state folder, or starts the
// service. Raises `StartFailure`.

import Linux

enum StateOwner {
  static func check(_ places: Places) throws(StartFailure) {
    guard ThisProcess.user == 0 else { return }
    // The inbox itself may belong to anyone. A folder that cannot be opened is told later.
    for path in [
      places.state, "\(places.inbox)/.claim", places.done, places.failed, places.prints,
    ] {
      if let owner = try? LinuxFolder.open(path: path).owner(), owner != 0 {
        throw failure(path, owner)
      }
    }
  }

  private static func failure(_ path: String, _ owner: UInt32) -> StartFailure {
    let name = Surroundings.userName(owner)
    return StartFailure(
      ExitCode.notPermitted,
      "the folder \(path) belongs to the user \(name ?? "number \(owner)"), whose darkroomd could not "
        + "change the files that root leaves there; start its service: systemctl start darkroom, or darkroom@NAME; "
        + "or become that user"
        + (name.map { ": runuser -u \($0) -- darkroomd ..." } ?? ""))
  }
}
