// SPDX-License-Identifier: Apache-2.0
// The caller's right to read the journal: sd-journal leaves out files that it may not open, without an error.

internal import CLinux
internal import Linux
internal import Vocabulary

package enum JournaldRights: Equatable, Sendable {
  case allowed
  case refused
  /// No journald has written anything on this machine.
  case missing

  package static let folders = ["/run/log/journal", "/var/log/journal"]

  /// - Parameter user: whose own services' records are wanted; nil for the records of system services.
  package static func look(user: UInt32?, in folders: [String] = folders) -> JournaldRights {
    var found = JournaldRights.missing
    let names = ["system.journal"] + (user.map { ["user-\($0).journal"] } ?? [])
    for folder in folders {
      for machine in machines(in: folder) {
        for name in names {
          switch look(at: "\(folder)/\(machine)/\(name)") {
          case .allowed: return .allowed
          case .refused: found = .refused
          case .missing: break
          }
        }
      }
    }
    return found
  }

  private static func machines(in folder: String) -> [String] {
    guard let entries = try? LinuxFolder.open(path: folder).entries() else { return [] }
    return entries.map { String(decoding: $0.name.bytes, as: UTF8.self) }
  }

  private static func look(at path: String) -> JournaldRights {
    do throws(SystemError) {
      try Calls.run("access", path) { unsafe dr_may_read(path) }
      return .allowed
    } catch {
      return error.name == .missing ? .missing : .refused
    }
  }
}
