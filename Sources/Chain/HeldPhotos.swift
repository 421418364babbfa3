// SPDX-License-Identifier: Apache-2.0
// Photos of one line that are not tried while their host leads many photos of their list to closed servers. A plain
// value.

struct HeldPhotos: Sendable {
  private struct Crowd: Sendable {
    /// In the order of their arrival.
    var numbers: [UInt32] = []
    /// The first photo that the cursor passed by, because enough photos of the host are held.
    var passed: UInt32?
  }

  /// A host without held photos has no entry.
  private var crowds: [String: Crowd] = [:]
  /// The hosts, the longest held first.
  private(set) var names: [String] = []
  /// The host of each photo.
  private var hosts: [UInt32: String] = [:]

  /// When this many photos of a host are held, the cursor passes by further photos of the host.
  static let most = 1024

  /// True if no photo is held, and the cursor passed by no photo.
  var isEmpty: Bool { crowds.isEmpty }
  var count: Int { hosts.count }
  /// The cursor passed by photos.
  var hasPassed: Bool { crowds.values.contains { $0.passed != nil } }
  var first: UInt32? { names.lazy.compactMap { crowds[$0]?.numbers.first }.first }

  func has(_ host: String) -> Bool { crowds[host] != nil }
  func hasPhotos(of host: String) -> Bool { crowds[host]?.numbers.isEmpty == false }
  func contains(_ number: UInt32) -> Bool { hosts[number] != nil }
  func host(of number: UInt32) -> String? { hosts[number] }

  func first(of hosts: [String], where fits: (UInt32) -> Bool) -> UInt32? {
    for host in hosts {
      if let number = crowds[host]?.numbers.first(where: fits) { return number }
    }
    return nil
  }

  /// - Parameter mayPass: the cursor found the photo, and will find it again.
  mutating func add(_ number: UInt32, host: String, mayPass: Bool = false) {
    guard hosts[number] == nil else { return }
    if crowds[host] == nil { names.append(host) }
    var crowd = crowds.removeValue(forKey: host) ?? Crowd()
    if mayPass, crowd.numbers.count >= Self.most {
      crowd.passed = min(crowd.passed ?? number, number)
    } else {
      crowd.numbers.append(number)
      hosts[number] = host
    }
    crowds[host] = crowd
  }

  mutating func remove(_ number: UInt32) {
    guard let host = hosts.removeValue(forKey: number), var crowd = crowds.removeValue(forKey: host)
    else { return }
    if let place = crowd.numbers.firstIndex(of: number) { crowd.numbers.remove(at: place) }
    if crowd.numbers.isEmpty, crowd.passed == nil { return drop(host) }
    crowds[host] = crowd
  }

  private mutating func drop(_ host: String) {
    crowds[host] = nil
    if let place = names.firstIndex(of: host) { names.remove(at: place) }
  }

  /// If no photo of the host is held any more, returns the first photo that the cursor passed by, and forgets it.
  mutating func turnBack(to host: String) -> UInt32? {
    guard let crowd = crowds[host], crowd.numbers.isEmpty, let passed = crowd.passed else {
      return nil
    }
    drop(host)
    return passed
  }
}
