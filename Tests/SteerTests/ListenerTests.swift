// SPDX-License-Identifier: Apache-2.0
// The users who listen on a port: rows of the kernel's tables.

import Testing

@testable import darkroomctl

@Suite struct ListenerTests {
  private static let head =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

  private func users(_ rows: [(place: String, state: String, user: String)]) -> Set<UInt32> {
    let lines = rows.enumerated().map { number, row in
      "   \(number): \(row.place) 00000000:0000 \(row.state) 00000000:00000000 00:00000000 00000000 "
        + " \(row.user)        0 18342 1 0000000000000000 100 0 0 10 0\n"
    }
    return ListenerTable(port: 8473, rows: Self.head + lines.joined()).users
  }

  @Test(arguments: [
    "0100007F:2119", "00000000:2119", "0000000000000000FFFF00000100007F:2119",
    "00000000000000000000000000000000:2119",
  ])
  func `a socket that takes connections to this machine has a user`(place: String) {
    #expect(users([(place, "0A", "0")]) == [0])
    #expect(users([(place, "0A", "1000")]) == [1000])
    #expect(users([("0100007F:0016", "0A", "7"), (place, "0A", "0")]) == [0])
  }

  @Test(arguments: ["0100007F:2118", "0200007F:2119", "0100007F:211", "2119"])
  func `other ports and addresses do not count`(place: String) {
    #expect(users([(place, "0A", "0")]).isEmpty)
  }

  @Test func `only sockets that listen count, and each of them`() {
    #expect(users([("0100007F:2119", "01", "0"), ("0100007F:2119", "06", "0")]).isEmpty)
    #expect(users([("0100007F:2119", "0A", "0"), ("00000000:2119", "0A", "1000")]) == [0, 1000])
  }

  @Test func `a port of few digits is filled up`() {
    let row = "0: 0100007F:0050 00000000:0000 0A 0:0 0:0 0 33 0 1"
    #expect(ListenerTable(port: 80, rows: row).users == [33])
  }

  @Test(arguments: ["", "\n\n", "a b c", "0: 0100007F:2119 00000000:0000 0A 0:0 0:0 0 root 0 1"])
  func `other text names nobody`(rows: String) {
    #expect(ListenerTable(port: 8473, rows: rows).users.isEmpty)
  }
}
