// SPDX-License-Identifier: Apache-2.0
// Paths of this process: absolute paths from its current folder, its worker's program; the boot's identifier; and
// the name of the machine.

internal import CLinux
package import Vocabulary

extension ThisProcess {
  /// The path made absolute, so that a later change of the current folder does not affect it. Raises
  /// `SystemError`.
  package static func absolutePath(_ path: String) throws(SystemError) -> String {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    if path.hasPrefix("/") { return path }
    let folder = try unsafe text("getcwd") { unsafe dr_current_folder($0, $1) }
    return path == "." ? folder : "\(folder)/\(path)"
  }

  /// The path of the running program.
  package static func ownPath() throws(SystemError) -> String {
    try unsafe text("readlink") { unsafe Int64(dr_own_path($0, $1)) }
  }

  /// Beside this program, as built, or in libexec, as installed. Raises `SystemError` for trouble of this machine:
  /// a wrong path would stay until the next start.
  package static var workerPath: String {
    get throws(SystemError) { try programPath("darkroom-worker") }
  }

  /// The same for the server of pages.
  package static var webPath: String {
    get throws(SystemError) { try programPath("darkroom-web") }
  }

  private static func programPath(_ name: String) throws(SystemError) -> String {
    let folder = try ownPath().split(separator: "/").dropLast().joined(separator: "/")
    let beside = "/\(folder)/\(name)"
    do throws(SystemError) {
      try Calls.run("access", beside) { unsafe dr_may_execute(beside) }
      return beside
    } catch {
      if error.isMachineTrouble { throw error }
    }
    let parent = folder.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(parent)/libexec/darkroom/\(name)"
  }

  /// The kernel's identifier of this boot; empty if /proc does not show it.
  package static var bootIdentifier: String {
    guard let folder = try? LinuxFolder.open(path: "/proc/sys/kernel/random"),
      let file = try? folder.openFile(FileName(literal: "boot_id"), .read),
      let bytes = try? file.read(at: 0, upTo: 64)
    else { return "" }
    return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  /// Of this machine; empty if it has none.
  package static var hostName: String {
    (try? unsafe text("gethostname") { unsafe dr_host_name($0, $1) }) ?? ""
  }

  private static func text(
    _ call: StaticString, _ fill: (UnsafeMutablePointer<CChar>, UInt64) -> Int64
  ) throws(SystemError) -> String {
    var bytes = [CChar](repeating: 0, count: 4096)
    let length = try Calls.run(call, "this process") { unsafe fill(&bytes, 4096) }
    return String(
      decoding: bytes.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
