// SPDX-License-Identifier: Apache-2.0
// A refused address in all its spellings: no list and no origin makes the daemon connect to it.

import Foundation
import Support
import Testing

@Suite struct RefusedAddressTests {
  /// The numbers that C libraries read: decimal, hexadecimal, octal, with zeros before them.
  private static func spellings(_ number: UInt32) -> [String] {
    let hex = String(number, radix: 16)
    let octal = String(number, radix: 8)
    return ["\(number)", "0x\(hex)", "0X\(hex.uppercased())", "0\(octal)", "000\(octal)"]
  }

  /// The hosts that lead to 127.0.0.2, or that careless readers take for it.
  private static let hosts: [String] = {
    var hosts = spellings(0x7F00_0002)
    for first in spellings(127) {
      for last in spellings(2) {
        hosts += ["\(first).\(last)", "\(first).0.\(last)", "\(first).0.0.\(last)"]
        hosts.append("\(first).00.0x0.\(last)")
      }
    }
    hosts += hosts.map { $0 + "." }
    hosts += [
      "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[0:0:0:0:0:ffff:7f00:0002]", "[::127.0.0.2]",
      "[::7f00:2]", "[64:ff9b::7f00:2]", "[64:ff9b::127.0.0.2]", "[::ffff:0:127.0.0.2]",
      "[2002:7f00:2::]", "[::ffff:127.0.0.2%25lo]", "[::FFFF:7F00:2]", "[::ffff:127.0.0.2].",
      "127.0.0.2%00", "127.0.0.2%20", "%31%32%37.0.0.2", "127%2e0%2e0%2e2", "127。0。0。2",
      "１２７.0.0.2", "①②⑦.0.0.2", "127.0.0.1@127.0.0.2", "127.0.0.1:80@127.0.0.2",
      "127.0.0.1%40127.0.0.2", "127.0.0.2\\@127.0.0.1", "127.0.0.1\\@127.0.0.2",
      "127.0.0.1;@127.0.0.2",
      " 127.0.0.2", "127.0.0.2 ", "127.0.0.2\t", "127.0.0\n.2", "127.0.0.2,127.0.0.1",
    ]
    return hosts
  }()

  /// The URLs in the list and in redirects: each host with the port, and other ways to begin a URL.
  private func urls(port: UInt16) -> [String] {
    Self.hosts.map { "http://\($0):\(port)/" }
      + ["//127.0.0.2:\(port)/", "http:127.0.0.2:\(port)", "http:/127.0.0.2:\(port)/"]
      + ["http:\\\\127.0.0.2:\(port)\\", "HTTP://0x7f.2:\(port)", "https://2130706434:\(port)/"]
      + ["http:///127.0.0.2:\(port)/", "http://127.0.0.2:\(port)#", "http://127.0.0.2:0\(port)/"]
  }

  @Test func `no spelling leads to a refused address, neither in a list nor in a redirect`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("127.0.0.0/8", with: "127.0.0.1\nAttempts=1")
    try await DaemonBench.use(settings: settings) { bench in
      let refused = try Listener(address: 0x7F00_0002)
      let urls = urls(port: refused.port)
      #expect(urls.count > 200)
      var photos = urls.enumerated().map { ("Direct \($0)", $1) }
      // A header is ASCII.
      for (number, url) in urls.enumerated() where url.utf8.allSatisfy({ $0 < 0x80 }) {
        let target = try #require(url.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        photos.append(("Redirect \(number)", bench.origin.url("/redirect?to=\(target)")))
      }
      let daemon = try await bench.start()
      try await bench.drop(try PhotoListText.binary(photos), as: "spellings.plist")
      #expect(try await bench.wait(for: "spellings", daemon).code == 1)
      let list = try await bench.show("spellings")
      #expect(list.failed == photos.count)
      let codes = Set(list.photos.map { String($0.code.prefix { $0 != "." }) })
      #expect(codes.isSubset(of: ["address", "redirect", "url", "list"]), "\(codes)")
      let isRefused = !refused.wasDialled
      #expect(isRefused)
      // But it can be reached.
      let dial = "exec 3<>/dev/tcp/127.0.0.2/\(refused.port)"
      let isReached =
        await HelperProcess.status(of: ["bash", "-c", dial]) == 0 && refused.wasDialled
      #expect(isReached)
      try await bench.stop(daemon)
    }
  }
}

/// A socket that listens and never answers.
private struct Listener: ~Copyable {
  private let socket: Int32
  let port: UInt16

  init(address: UInt32) throws {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    socket = Glibc.socket(AF_INET, Int32(kind), 0)
    let socket = socket
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = address.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status: Int32 = unsafe withUnsafeMutableBytes(of: &place) { bytes in
      let name = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      guard unsafe bind(socket, name, length) == 0, listen(socket, 128) == 0 else { return -1 }
      return unsafe getsockname(socket, name, &length)
    }
    try #require(status == 0, "it cannot listen")
    port = UInt16(bigEndian: place.sin_port)
  }

  deinit { close(socket) }

  /// True if a client has connected since this was asked.
  var wasDialled: Bool {
    let caller = accept(socket, nil, nil)
    if caller >= 0 { close(caller) }
    return caller >= 0
  }
}
