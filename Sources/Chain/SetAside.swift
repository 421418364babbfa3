// SPDX-License-Identifier: Apache-2.0
// Photos of one line that were looked at and wait for their server, first come first, those that had an
// attempt before the others: they are the ones to look whether it is back. A plain value.

struct SetAside: Sendable {
  private struct Crowd: Sendable {
    var tried: [UInt32] = []
    var fresh: [UInt32] = []
    var count: Int { tried.count + fresh.count }
  }

  private var crowds: [String: Crowd] = [:]
  private var numbers: Set<UInt32> = []

  var count: Int { numbers.count }
  var hosts: [String] { Array(crowds.keys) }
  func contains(_ number: UInt32) -> Bool { numbers.contains(number) }
  func has(_ host: String) -> Bool { crowds[host] != nil }
  func hasTried(_ host: String) -> Bool { crowds[host]?.tried.isEmpty == false }
  func count(_ host: String) -> Int { crowds[host]?.count ?? 0 }

  mutating func add(_ number: UInt32, host: String, isTried: Bool) {
    guard numbers.insert(number).inserted else { return }
    if isTried {
      crowds[host, default: Crowd()].tried.append(number)
    } else {
      crowds[host, default: Crowd()].fresh.append(number)
    }
  }

  mutating func take(_ host: String) -> UInt32? {
    guard var crowd = crowds.removeValue(forKey: host) else { return nil }
    let number = crowd.tried.isEmpty ? crowd.fresh.removeFirst() : crowd.tried.removeFirst()
    numbers.remove(number)
    if crowd.count > 0 { crowds[host] = crowd }
    return number
  }
}
