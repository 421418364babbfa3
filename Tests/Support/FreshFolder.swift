// SPDX-License-Identifier: Apache-2.0
// An empty folder for one test, removed with its contents when the test releases it.

import Foundation
package import Linux

package final class FreshFolder: Sendable {
  package let path: String
  package let folder: LinuxFolder

  package convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory)
  }

  /// A folder with a short path, since the path of a socket has at most 107 bytes.
  package static func forSockets() throws -> FreshFolder {
    try FreshFolder(in: URL(filePath: "/tmp"))
  }

  private init(in parent: URL) throws {
    let url = parent.appending(path: "darkroom-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path(percentEncoded: false)
    folder = try LinuxFolder.open(path: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, and creates the folders above it.
  package func write(_ bytes: [UInt8], to name: String) throws {
    let url = URL(filePath: "\(path)/\(name)")
    let above = url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  package func bytes(of name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(path)/\(name)").map { Array($0) }
  }
}
