// SPDX-License-Identifier: Apache-2.0
// One line of admission: a cursor into the list, and the line's photos that are in flight, came back or wait.
// Plain values.

package import Vocabulary

extension Admission {
  /// The facts about a photo that admission needs.
  package struct Prospect: Equatable, Sendable {
    /// The host of its URL, as in messages; nil if the photo needs no host any more.
    package var host: String?
    /// Equal for equal URLs: a photo whose URL is in flight needs no place at the host.
    package var url: Int?
    /// The photo's own class.
    package var own: ServiceClass?
    /// An attempt at it is recorded.
    package var isTried: Bool
    /// It is filtered or failed.
    package var isDone: Bool

    package init(
      host: String? = nil, url: Int? = nil, own: ServiceClass? = nil, isTried: Bool = false,
      isDone: Bool = false
    ) {
      self.host = host
      self.url = url
      self.own = own
      self.isTried = isTried
      self.isDone = isDone
    }
  }

  /// The place at the host of its URL that a photo in flight takes until its transfer ends. A rider takes none: it
  /// waits for another photo's transfer.
  struct Place: Sendable {
    /// At the server to which the host is known to lead the photo.
    struct Beyond: Sendable {
      let server: String
      let isProbe: Bool
    }

    var host: String?
    var isProbe = false
    var url: Int?
    var isRider = false
    var beyond: Beyond?
  }

  struct Candidate: Sendable {
    let number: UInt32
    /// Found by the cursor, so it may belong to another line.
    let isFresh: Bool
    /// It came back unfinished, so it also goes before new ones at its host.
    var isReturned = false
    var prospect: Prospect?
  }

  struct Line: Sendable {
    var serviceClass: ServiceClass
    /// All photos up to this number have been looked at.
    var cursor: UInt32
    /// The last photo that may belong to the line.
    let last: UInt32
    private let first: UInt32
    var isExhausted = false
    /// Paused by a person.
    var isPaused = false
    /// Blocked by trouble of its list.
    var isBlocked = false
    var inFlight: [UInt32: Place] = [:]
    /// Photos that came back unfinished; they go before new ones.
    var returned: [UInt32] = []
    /// Photos that wait for another attempt.
    var waiting = DueQueue<UInt32>()
    var forHost = WaitingForHost()
    /// Photos that are not tried before their host leads fewer photos of the list to closed servers.
    var held = HeldPhotos()
    /// How many photos in a row the cursor passed by.
    var passes = 0
    var candidate: Candidate?
    /// Photos whose host asked to be left alone, with the time of its first such answer.
    var patient: [UInt32: Duration] = [:]

    /// The cursor stops when this many photos wait for hosts. Photos that are led elsewhere do not count, because
    /// they have a limit at each host that leads them.
    static let longestWait = 1024
    /// The cursor also stops when this many photos wait in all.
    static let mostWaiting = 8192
    /// While a host leads this many photos of a list to closed servers, no photo of the list whose redirect is
    /// unknown is tried at the host.
    static let mostLed = 128
    /// The limit of held photos that wait at their host: they are held again when one more is led to a closed server.
    static let mostAtHand = 32
    /// The cursor stops when it passed by this many photos in a row: each turn back walks past them again.
    static let mostPasses = 4096

    init(_ serviceClass: ServiceClass, first: UInt32 = 1, last: UInt32 = .max) {
      self.serviceClass = serviceClass
      self.first = first
      cursor = max(first, 1) - 1
      self.last = last
    }

    var isStill: Bool { isPaused || isBlocked }

    var isDone: Bool {
      isExhausted && inFlight.isEmpty && returned.isEmpty && waiting.isEmpty && forHost.count == 0
        && held.isEmpty && candidate == nil
    }

    /// True if the line is worth a look, even if no photo is due and no host calls.
    var isReady: Bool {
      guard !isStill else { return false }
      return candidate != nil || !returned.isEmpty || !held.isEmpty || canLookAhead
    }

    /// Photos of the host that were not tried may show that a server behind it is well.
    func hasNew(from host: String) -> Bool { !isExhausted || held.has(host) }

    /// The cursor goes back to photos of the host that it passed by, once the photos at hand were tried.
    mutating func turnBack(to host: String) {
      guard forHost.count(host) < Self.mostLed, let number = held.turnBack(to: host) else { return }
      cursor = min(cursor, number - 1)
      (isExhausted, passes) = (false, 0)
    }

    /// - Parameter isFresh: the cursor found the photo, and will find it again.
    mutating func hold(_ number: UInt32, host: String, isFresh: Bool) {
      held.add(number, host: host, mayPass: isFresh)
      if !held.contains(number) { passes += 1 }
    }

    var canLookAhead: Bool {
      !isExhausted && forHost.count - forHost.ledCount < Self.longestWait
        && forHost.count < Self.mostWaiting && held.count < Self.mostWaiting
        && passes < Self.mostPasses
    }

    func reaches(_ number: UInt32) -> Bool { number >= first && number <= last }

    func holds(_ number: UInt32) -> Bool {
      inFlight[number] != nil || returned.contains(number) || waiting.contains(number)
        || forHost.contains(number) || held.contains(number)
    }
  }

  /// The limit of photos that wait for the transfers of others.
  package static let mostRiders = 32

  /// The URLs in flight, except the URLs of probes, and the number of riders on them.
  struct Riders: Sendable {
    private var flying: [Int: Int] = [:]
    private var count = 0

    func mayRide(_ url: Int?) -> Bool {
      count < Admission.mostRiders && url.map { flying[$0] != nil } == true
    }

    mutating func ride() { count += 1 }

    mutating func fly(_ url: Int) { flying[url, default: 0] += 1 }

    mutating func leave(_ place: Place) {
      if place.isRider {
        count -= 1
      } else if let url = place.url {
        let left = (flying[url] ?? 1) - 1
        flying[url] = left > 0 ? left : nil
      }
    }
  }

  /// Lines with photos that wait for another attempt.
  struct Expectant: Sendable {
    private(set) var keys: Set<LineKey> = []
    /// No photo is due earlier than this.
    private(set) var earliest: Duration?
    /// When a flush last made all photos due.
    private var flushed: Duration?

    mutating func flush(_ now: Duration) { flushed = now }

    func isFlushed(since failed: Duration?) -> Bool {
      guard let failed, let flushed else { return false }
      return failed < flushed
    }

    mutating func note(_ key: LineKey, due: Duration?) {
      guard let due else {
        keys.remove(key)
        return
      }
      keys.insert(key)
      earliest = min(earliest ?? due, due)
    }

    mutating func leave(_ key: LineKey) { keys.remove(key) }

    mutating func next(_ due: Duration?) { earliest = due }
  }
}
