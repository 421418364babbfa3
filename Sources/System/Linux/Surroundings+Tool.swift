// SPDX-License-Identifier: Apache-2.0
// The surroundings of a command line tool: the environment, user names, files that people name by a path.
// Raises `SystemError`.

internal import CLinux
package import Vocabulary

extension Surroundings {
  /// The first 4096 bytes of an environment variable; nil if it is not set.
  package static func variable(_ name: String) -> String? {
    unsafe text { unsafe dr_variable(name, $0, $1) }
  }

  package static func userName(_ user: UInt32) -> String? {
    unsafe text { unsafe dr_user_name(user, $0, $1) }
  }

  /// The user of this process; its number if it has no name. Asked once: each look into the inbox may need it, and the
  /// answer may come from another machine.
  package static let ownName: String = userName(ThisProcess.user) ?? "\(ThisProcess.user)"

  /// True also if the machine cannot tell.
  package static func isUser(_ name: String) -> Bool { unsafe dr_is_user(name) != 0 }

  /// The target of a link as it is written; nil if there is no such link, or this user may not read it.
  package static func target(of path: String) -> String? {
    unsafe text { unsafe dr_link_target(path, $0, $1) }
  }

  /// `2025-11-21 09:05:45`, in the time zone of the user.
  package static func localTime(milliseconds: UInt64) -> String {
    unsafe text { unsafe dr_local_time(Int64(milliseconds / 1000), $0, $1) } ?? ""
  }

  /// A file by a path that a person wrote; links are followed. It need not be a regular file.
  package static func openNamed(_ path: String) throws(SystemError) -> LinuxFile {
    let number = try Calls.run("open", path) { unsafe dr_open_named(path) }
    return LinuxFile(owning: Descriptor(owning: number), thing: path)
  }

  /// A nameless file in memory.
  package static func scratchFile() throws(SystemError) -> LinuxFile {
    let number = try Calls.run("memfd_create", "scratch file") { dr_scratch_file() }
    return LinuxFile(owning: Descriptor(owning: number), thing: "scratch file")
  }

  private static func text(_ fill: (UnsafeMutablePointer<CChar>, UInt64) -> Int64) -> String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    let length = unsafe fill(&bytes, 4096)
    guard length >= 0 else { return nil }
    return String(
      decoding: bytes.prefix(Int(min(length, 4096))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
