// SPDX-License-Identifier: Apache-2.0
// The users who listen on a port of 127.0.0.1, from the rows of /proc/net/tcp and tcp6. A value.

struct ListenerTable: Equatable {
  /// 127.0.0.1 and 0.0.0.0, both also as IPv6 has them, in the form of the kernel.
  private static let addresses = [
    "0100007F", "00000000", "0000000000000000FFFF00000100007F", "00000000000000000000000000000000",
  ]
  private static let listening = "0A"

  /// Those whose sockets take connections to 127.0.0.1 on the port.
  let users: Set<UInt32>

  init(port: UInt16, rows: String) {
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = String(repeating: "0", count: 4 - digits.count) + digits
    let places = Set(Self.addresses.map { "\($0):\(suffix)" })
    var users: Set<UInt32> = []
    for row in rows.split(separator: "\n") {
      // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid …
      let fields = row.split(separator: " ")
      guard fields.count > 7, fields[3] == Self.listening, places.contains(String(fields[1])),
        let user = UInt32(fields[7])
      else { continue }
      users.insert(user)
    }
    self.users = users
  }
}
