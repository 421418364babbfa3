// SPDX-License-Identifier: Apache-2.0
// Names that one process at a time has.

import Linux
import Support
import Testing
import Vocabulary

struct NameSeatTests {
  private let name: String

  init() throws {
    let random = try ThisProcess.randomBytes(8).map { String($0, radix: 16) }.joined()
    name = "darkroom-test/\(random)"
  }

  @Test func `a taken name is refused, and its holder is known until it leaves`() async throws {
    #expect(try NameHolder(of: name) == nil)
    var seat: NameSeat? = try NameSeat(name)
    let refusal = #expect(throws: SystemError.self) { try NameSeat(name) }
    #expect(refusal?.name == .addressInUse)
    let holder = try #require(try NameHolder(of: name))
    #expect(holder.peer.process == ThisProcess.identifier && holder.peer.user == ThisProcess.user)
    #expect(holder.isThere)
    withExtendedLifetime(seat) {}
    seat = nil
    // A program that another test just starts has a copy for a moment.
    #expect(try await Patience.sees { !holder.isThere })
    #expect(try await Patience.sees { (try? NameSeat(name)) != nil })
  }

  @Test func `more askers than the kernel queues are no error`() throws {
    let seat = try NameSeat(name)
    let askers = try (0..<256).map { _ in try NameHolder(of: name) }
    #expect(askers.first.map { $0 != nil } == true && askers.contains { $0 == nil })
    seat.drop()
    #expect(try NameHolder(of: name) != nil)
    withExtendedLifetime((seat, askers)) {}
  }
}
