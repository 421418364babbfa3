// SPDX-License-Identifier: Apache-2.0
// A fresh folder for sockets, removed at the end (always in /tmp, since the path of a socket has at
// most 107 bytes); and the text of files in this repository.

import Linux
import Support
import Testing
import Vocabulary

final class ScratchFolder {
  private static let parent = "/tmp"
  private let name: FileName
  let path: String

  init() throws {
    let random = try ThisProcess.randomBytes(8).map { String($0, radix: 16) }.joined()
    name = try #require(FileName("darkroom-report-\(random)"))
    path = "\(Self.parent)/\(name)"
    _ = try LinuxFolder.open(path: Self.parent).openFolder(name, creating: true)
  }

  deinit {
    guard let parent = try? LinuxFolder.open(path: Self.parent),
      let folder = try? parent.openFolder(name, creating: false)
    else { return }
    for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
    try? parent.removeFolder(name)
  }

  func remove(_ name: String) throws {
    try LinuxFolder.open(path: path).remove(try #require(FileName(name)))
  }

  /// A listening socket in the folder.
  func listen(_ name: String) throws -> DatagramSocket {
    let socket = try DatagramSocket()
    try socket.bind(to: "\(path)/\(name)")
    return socket
  }
}

/// Waits for the next datagram, for a limited time.
func next(_ socket: DatagramSocket) throws -> DatagramSocket.Arrival {
  _ = try Poll.wait([Poll.Watch(socket.descriptor)], for: Patience.time)
  return try #require(try socket.receive(), "nothing arrived")
}

func text(_ arrival: DatagramSocket.Arrival) -> String {
  String(decoding: arrival.bytes, as: UTF8.self)
}

/// The text of a file of this repository.
func repositoryFile(_ folder: String, _ name: String) throws -> String {
  let root = "\(#filePath)".split(separator: "/").dropLast(3).joined(separator: "/")
  let file = try LinuxFolder.open(path: "/\(root)/\(folder)")
    .openFile(try #require(FileName(name)), .read)
  return String(decoding: try file.read(at: 0, upTo: 1 << 20), as: UTF8.self)
}
