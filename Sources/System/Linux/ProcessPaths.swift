// SPDX-License-Identifier: Apache-2.0
// Where this program lies, where it was started, and where its worker is.

internal import CLinux
package import Vocabulary

extension ThisProcess {
  /// A path that still means the same when the current folder changes.
  package static func absolutePath(_ path: String) throws(SystemError) -> String {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    if path.hasPrefix("/") { return path }
    let folder = try unsafe text("getcwd") { unsafe dr_current_folder($0, $1) }
    return path == "." ? folder : "\(folder)/\(path)"
  }

  /// Beside this program, as it is built, or in libexec, as it is installed.
  package static var workerPath: String {
    let program = (try? ownPath()) ?? ""
    let folder = program.split(separator: "/").dropLast().joined(separator: "/")
    let beside = "/\(folder)/darkroom-worker"
    if unsafe dr_may_execute(beside) == 0 { return beside }
    let parent = folder.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(parent)/libexec/darkroom/darkroom-worker"
  }

  /// The kernel's number for this boot; empty where /proc does not tell.
  package static var bootIdentifier: String {
    guard let folder = try? LinuxFolder.open(path: "/proc/sys/kernel/random"),
      let file = try? folder.openFile(FileName(literal: "boot_id"), .read),
      let bytes = try? file.read(at: 0, upTo: 64)
    else { return "" }
    return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  private static func text(
    _ call: StaticString, _ fill: (UnsafeMutablePointer<CChar>, UInt64) -> Int64
  ) throws(SystemError) -> String {
    var bytes = [CChar](repeating: 0, count: 4096)
    let length = try Calls.run(call, "this process") {
      unsafe bytes.withUnsafeMutableBufferPointer { buffer -> Int64 in
        guard let start = buffer.baseAddress else { return -12 }
        return unsafe fill(start, UInt64(buffer.count))
      }
    }
    return String(
      decoding: bytes.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
