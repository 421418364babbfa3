// SPDX-License-Identifier: Apache-2.0
// A program that continues to serve after the end of this process. Its first line says that it is ready. Raises
// `SystemError`.

internal import CLinux
package import Vocabulary

package enum ServerProgram {
  private static let longestLine = 4096

  /// The first line of the program's output; nil if it ended, or wrote none in time.
  package static func start(
    _ path: String, _ words: [String], within limit: Duration
  ) throws(SystemError) -> String? {
    let (reader, writer) = try unsafe ChildProcess.pair("pipe") { unsafe dr_pipe($0) }
    let output = Descriptor(owning: reader)
    let log = Descriptor(owning: writer)
    let bytes = ([path] + words + [""]).flatMap { (word: String) -> [CChar] in
      word.utf8.map { CChar(bitPattern: $0) } + [0]
    }
    var child = dr_child()
    try Calls.run("posix_spawn", path) {
      unsafe dr_server_start(path, bytes, log.number, &child)
    }
    let handle = Descriptor(owning: child.handle)
    return try line(from: output, or: handle, until: MachineTime().uptime() + limit)
  }

  /// Ends early if the program does, which `handle` tells: our own end of the pipe keeps it open.
  private static func line(
    from output: borrowing Descriptor, or handle: borrowing Descriptor, until due: Duration
  ) throws(SystemError) -> String? {
    var line: [UInt8] = []
    while line.count < longestLine {
      let left = due - MachineTime().uptime()
      guard left > .zero else { return nil }
      let found = try Poll.wait(
        [Poll.Watch(output.number), Poll.Watch(handle.number)], for: left)
      if found[0].isReadable {
        line += try nextBytes(of: output.number, "server", upTo: longestLine)
        if let end = line.firstIndex(of: 0x0A) {
          return String(decoding: line[..<end], as: UTF8.self)
        }
      } else if found[1].isReadable {
        return nil
      }
    }
    return nil
  }
}
