// SPDX-License-Identifier: Apache-2.0
// The surroundings of a command line tool: its output streams, the terminal's width, the environment,
// user names, files that people name by a path. Raises `SystemError`.

internal import CLinux
package import Vocabulary

/// Standard output and standard error. A failed write raises an error for the caller to judge.
package enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  package var isTerminal: Bool { ThisProcess.isTerminal(rawValue) }

  /// Columns of the terminal; 80 if they are unknown.
  package var columns: Int {
    let columns = dr_terminal_columns(rawValue)
    return columns > 0 ? Int(columns) : 80
  }

  package func write(_ text: String) throws(SystemError) {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let start = done
      done += Int(
        try Calls.run("write", self == .output ? "standard output" : "standard error") {
          unsafe bytes.withUnsafeBytes { raw in
            unsafe dr_write(
              rawValue, raw.baseAddress.map { unsafe $0 + start }, UInt64(raw.count - start))
          }
        })
    }
  }
}

extension Surroundings {
  /// The first 4096 bytes of an environment variable; nil if it is not set.
  package static func variable(_ name: String) -> String? {
    unsafe text { unsafe dr_variable(name, $0, $1) }
  }

  package static func userName(_ user: UInt32) -> String? {
    unsafe text { unsafe dr_user_name(user, $0, $1) }
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
    let length = unsafe bytes.withUnsafeMutableBufferPointer { buffer -> Int64 in
      guard let start = buffer.baseAddress else { return -1 }
      return unsafe fill(start, UInt64(buffer.count))
    }
    guard length >= 0 else { return nil }
    return String(
      decoding: bytes.prefix(Int(min(length, 4096))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
