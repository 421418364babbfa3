// SPDX-License-Identifier: Apache-2.0
// Photos of one line that wait for a place at their host: first come, first served, but tried photos before
// fresh ones, unless a fresh one is the next probe. A plain value.

struct WaitingForHost: Sendable {
  typealias Entry = (number: UInt32, url: Int?)

  private struct Crowd: Sendable {
    var tried: [Entry] = []
    var fresh: [Entry] = []
    var count: Int { tried.count + fresh.count }
  }

  private var crowds: [String: Crowd] = [:]
  private var numbers: Set<UInt32> = []

  var count: Int { numbers.count }
  var hosts: [String] { Array(crowds.keys) }
  func contains(_ number: UInt32) -> Bool { numbers.contains(number) }
  func has(_ host: String) -> Bool { crowds[host] != nil }
  func hasTried(_ host: String) -> Bool { crowds[host]?.tried.isEmpty == false }
  func hasFresh(_ host: String) -> Bool { crowds[host]?.fresh.isEmpty == false }
  func count(_ host: String) -> Int { crowds[host]?.count ?? 0 }

  mutating func add(_ number: UInt32, host: String, url: Int? = nil, isTried: Bool) {
    guard numbers.insert(number).inserted else { return }
    if isTried {
      crowds[host, default: Crowd()].tried.append((number, url))
    } else {
      crowds[host, default: Crowd()].fresh.append((number, url))
    }
  }

  mutating func take(_ host: String, isFresh: Bool = false) -> Entry? {
    guard var crowd = crowds.removeValue(forKey: host) else { return nil }
    let isFirst = isFresh && !crowd.fresh.isEmpty || crowd.tried.isEmpty
    let entry = isFirst ? crowd.fresh.removeFirst() : crowd.tried.removeFirst()
    numbers.remove(entry.number)
    if crowd.count > 0 { crowds[host] = crowd }
    return entry
  }
}
