// SPDX-License-Identifier: Apache-2.0
// Keeps root from the state of another user: the files that it would leave there stop that user's daemon, which may not
// change them. Root has a separate state, or starts the service. Raises `StartFailure`.

import Linux

enum StateOwner {
  static func check(_ places: Places) throws(StartFailure) {
    // A folder that cannot be opened is told later.
    guard ThisProcess.user == 0, let owner = try? LinuxFolder.open(path: places.state).owner(),
      owner != 0
    else { return }
    let name = Surroundings.userName(owner)
    throw StartFailure(
      ExitCode.notPermitted,
      "the state folder \(places.state) belongs to the user \(name ?? "number \(owner)"), whose darkroomd could not "
        + "change the files that root leaves there; start its service: systemctl start darkroom, or darkroom@NAME; "
        + "or become that user"
        + (name.map { ": runuser -u \($0) -- darkroomd ..." } ?? ""))
  }
}
