// SPDX-License-Identifier: Apache-2.0
// The right to look at a list: only the daemon can make its text, and a token is exchanged once.

import Linux
import Steer
import Support
import Testing
import Vocabulary

@Suite struct ViewTests {
  private static let bytes = (0..<32).map { UInt8($0) }
  private static let right = ViewRight(list: 17, user: 1000, until: 5000)

  private func key(_ bytes: [UInt8] = Self.bytes) throws -> ViewKey { try #require(ViewKey(bytes)) }

  @Test func `a right comes back from its text until its time is over`() throws {
    let key = try key()
    let text = key.text(of: Self.right)
    #expect(text.hasPrefix("17.1000.5000.") && text.utf8.count <= ViewKey.longest)
    #expect(key.right(in: text, now: 4999) == Self.right)
    #expect(key.right(in: text, now: 5000) == nil)
    let most = ViewRight(list: .max, user: .max, until: .max)
    #expect(key.right(in: key.text(of: most), now: 0) == most)
  }

  /// HMAC-SHA256 by Python's hmac module.
  @Test func `the code of a right is its HMAC`() throws {
    #expect(
      try key().text(of: Self.right)
        == "17.1000.5000.13ebf0de671a71a187a721bfe62c5bdebb48416bea893f8c789a81103d8f6976")
  }

  @Test func `a text that was changed anywhere is no right`() throws {
    let key = try key()
    let text = Array(key.text(of: Self.right).utf8)
    for place in text.indices {
      for byte in Array("0123456789abcdefABCDEF.-+ \u{0}".utf8) where byte != text[place] {
        var other = text
        other[place] = byte
        let read = key.right(in: String(decoding: other, as: UTF8.self), now: 0)
        // Hex digits of a code may be upper case.
        let isSame = read == nil || (place > 12 && byte | 0x20 == text[place])
        #expect(isSame, "\(place) \(byte)")
      }
      #expect(key.right(in: String(decoding: text[..<place], as: UTF8.self), now: 0) == nil)
    }
  }

  @Test func `another spelling, another key and another form are no right`() throws {
    let key = try key()
    let code = key.text(of: Self.right).split(separator: ".")[3]
    for facts in ["017.1000.5000", "17.1000.05000", "+17.1000.5000", "17.1000.5000.0", "17.1000"] {
      #expect(key.right(in: "\(facts).\(code)", now: 0) == nil)
    }
    #expect(key.right(in: "", now: 0) == nil && key.right(in: "...", now: 0) == nil)
    #expect(key.right(in: String(repeating: "1", count: 10_000), now: 0) == nil)
    let other = try self.key(Self.bytes.map { $0 ^ 1 })
    #expect(other.right(in: key.text(of: Self.right), now: 0) == nil)
    #expect(ViewKey([]) == nil && ViewKey(Self.bytes + [0]) == nil)
  }

  @Test func `a token is taken once, and within its time`() throws {
    var tokens = ViewTokens()
    let promise = ViewTokens.Promise(list: 17, user: 1000)
    let random = [UInt8](repeating: 0xA0, count: ViewTokens.size)
    let made = tokens.make(promise, random: random, now: .zero)
    let token = try #require(made)
    #expect(token == String(repeating: "a0", count: 16))
    for wrong in ["", "a0", token.uppercased(), token + "0"] {
      #expect(tokens.take(wrong, now: .zero) == nil)
    }
    #expect(tokens.take(token, now: ViewTokens.lifetime - .milliseconds(1)) == promise)
    #expect(tokens.take(token, now: .seconds(1)) == nil)
    _ = tokens.make(promise, random: random, now: .zero)
    #expect(tokens.take(token, now: ViewTokens.lifetime) == nil)
  }

  @Test func `a user has few tokens, of which the oldest make room, and takes none of others`() {
    var tokens = ViewTokens()
    func random(_ number: Int) -> [UInt8] {
      [UInt8(number / 256), UInt8(number % 256)] + [UInt8](repeating: 0, count: 14)
    }
    let other = tokens.make(.init(list: 1, user: 1), random: random(9999), now: .zero)
    let own = (0..<20).map {
      tokens.make(.init(list: 1, user: 2), random: random($0), now: .zero) ?? ""
    }
    #expect(own.prefix(4).allSatisfy { tokens.take($0, now: .zero) == nil })
    #expect(own.dropFirst(4).allSatisfy { tokens.take($0, now: .zero) != nil })
    #expect(other.flatMap { tokens.take($0, now: .zero) }?.user == 1)
    for user in 0..<UInt32(1024) {
      _ = tokens.make(.init(list: 1, user: user), random: random(Int(user)), now: .zero)
    }
    #expect(tokens.make(.init(list: 1, user: 5000), random: random(5000), now: .zero) == nil)
  }

  @Test func `a call carries its view to the daemon`() async throws {
    let folder = try FreshFolder.forSockets()
    let (clock, daemon) = (try SystemClock(), ScriptedDaemon())
    let path = "\(folder.path)/control"
    let server = try RunningServer(path: path, handler: daemon, clock: clock)
    for view in [nil, Samples.view] {
      _ = try await onOwnThread {
        try ControlClient(path: path, clock: clock, view: view).call(ListsOrder())
      }
    }
    #expect(daemon.peers.map(\.view) == [nil, Samples.view])
    server.stop()
    await server.stopped()
  }
}
