// SPDX-License-Identifier: Apache-2.0
// Photos of one line that wait for a place at their host: first come, first served, but tried photos before
// fresh ones, unless a fresh one is the next probe. A plain value.

struct WaitingForHost: Sendable {
  typealias Entry = (number: UInt32, url: Int?)

  private struct Crowd: Sendable {
    var tried: [Entry] = []
    var fresh: [Entry] = []
    /// The photos that are led to another server.
    var led: Set<UInt32> = []
    var count: Int { tried.count + fresh.count }
  }

  private var crowds: [String: Crowd] = [:]
  /// The host of each photo.
  private var numbers: [UInt32: String] = [:]
  /// How many of them are led to another server.
  private(set) var ledCount = 0

  var count: Int { numbers.count }
  /// Sorted, so that a simulation replays.
  var hosts: [String] { crowds.keys.sorted() }
  /// The same, in any order.
  var names: some Collection<String> { crowds.keys }
  /// The photos at each host, and the first photo.
  var sizes: [(host: String, photos: Int, first: UInt32)] {
    crowds.compactMap { host, crowd in
      (crowd.tried.first ?? crowd.fresh.first).map { (host, crowd.count, $0.number) }
    }
  }
  func contains(_ number: UInt32) -> Bool { numbers[number] != nil }
  func host(of number: UInt32) -> String? { numbers[number] }
  func has(_ host: String) -> Bool { crowds[host] != nil }
  func hasTried(_ host: String) -> Bool { crowds[host]?.tried.isEmpty == false }
  func hasFresh(_ host: String) -> Bool { crowds[host]?.fresh.isEmpty == false }
  func count(_ host: String) -> Int { crowds[host]?.count ?? 0 }
  func freshCount(_ host: String) -> Int { crowds[host]?.fresh.count ?? 0 }

  /// The photos at the host that need room at another server as well. Sorted, so that a simulation replays.
  func led(at host: String) -> [UInt32] { crowds[host]?.led.sorted() ?? [] }

  /// - Parameter isLed: true if the photo is led to this host, or if this host leads it to another server.
  mutating func add(
    _ number: UInt32, host: String, url: Int? = nil, isTried: Bool, isLed: Bool,
    isFirst: Bool = false
  ) {
    guard numbers[number] == nil else { return }
    numbers[number] = host
    var crowd = crowds.removeValue(forKey: host) ?? Crowd()
    if isTried {
      crowd.tried.insert((number, url), at: isFirst ? 0 : crowd.tried.count)
    } else {
      crowd.fresh.insert((number, url), at: isFirst ? 0 : crowd.fresh.count)
    }
    if isLed {
      crowd.led.insert(number)
      ledCount += 1
    }
    crowds[host] = crowd
  }

  mutating func take(_ host: String, isFresh: Bool = false) -> Entry? {
    guard var crowd = crowds.removeValue(forKey: host) else { return nil }
    let isFirst = isFresh && !crowd.fresh.isEmpty || crowd.tried.isEmpty
    let entry = isFirst ? crowd.fresh.removeFirst() : crowd.tried.removeFirst()
    numbers[entry.number] = nil
    if crowd.led.remove(entry.number) != nil { ledCount -= 1 }
    if crowd.count > 0 { crowds[host] = crowd }
    return entry
  }

  /// Takes the untried photos at the host whose redirects are not known.
  mutating func takeNew(at host: String) -> [UInt32] {
    guard var crowd = crowds.removeValue(forKey: host) else { return [] }
    let led = crowd.led
    let taken = crowd.fresh.map { $0.number }.filter { !led.contains($0) }
    crowd.fresh.removeAll { !led.contains($0.number) }
    for number in taken { numbers[number] = nil }
    if crowd.count > 0 { crowds[host] = crowd }
    return taken
  }

  /// Takes one photo out of the order.
  mutating func take(number: UInt32) -> (entry: Entry, isTried: Bool)? {
    guard let host = numbers.removeValue(forKey: number),
      var crowd = crowds.removeValue(forKey: host)
    else { return nil }
    let found: (Entry, Bool)?
    if let place = crowd.tried.firstIndex(where: { $0.number == number }) {
      found = (crowd.tried.remove(at: place), true)
    } else if let place = crowd.fresh.firstIndex(where: { $0.number == number }) {
      found = (crowd.fresh.remove(at: place), false)
    } else {
      found = nil
    }
    if crowd.led.remove(number) != nil { ledCount -= 1 }
    if crowd.count > 0 { crowds[host] = crowd }
    return found
  }
}
