// SPDX-License-Identifier: Apache-2.0
// Hosts, lists and users around an admission, in simulated time: each admitted photo gets the answer
// of its host and ends; users pause, cancel and flush.

import Support
import Vocabulary

@testable import Chain

struct HostWorld {
  private struct Trip {
    let photo: PhotoID
    let host: String?
    let end: Duration
    let outcome: HostWindow.Outcome
  }

  private struct List {
    let total: UInt32
    let hosts: [String]
    var states: [Bool]
    var left: Int
    var isPaused = false
  }

  var admission: Admission
  private(set) var now = Duration.zero
  private(set) var given = 0
  private(set) var asked = 0
  private(set) var events = 0
  private(set) var attempts = 0
  private(set) var excess = 0
  private(set) var idleLooks = 0
  /// Photos given up although their host would have delivered them.
  private(set) var unjust = 0
  private var random: SplitMix
  private var lists: [ListID: List] = [:]
  private var trips: [Trip] = []
  private var tries: [PhotoID: UInt32] = [:]
  private var atHost: [String: Int] = [:]
  private let isMeddled: Bool
  private let most: Int
  private let policy = RetryPolicy()
  /// When the host `back` recovers.
  private let recovery: Duration

  var left: Int { lists.values.reduce(0) { $0 + $1.left } }

  init(seed: UInt64, lists given: [(UInt32, [String])] = [], meddling: Bool = true) {
    var random = SplitMix(seed: seed)
    most = Int.random(in: 1...6, using: &random)
    recovery = .seconds(Int64.random(in: 1...4000, using: &random))
    isMeddled = meddling
    let hosts = HostWindows(HostLimits(most: most), triedPatience: policy.span)
    admission = Admission(window: Int.random(in: 4...40, using: &random), hosts: hosts)
    var plans = given
    if plans.isEmpty {
      let names = ["well", "slow", "dead", "lossy", "busy", "back", "here"]
      plans = (0..<Int.random(in: 1...9, using: &random)).map { _ in
        let count = Int.random(in: 1...4, using: &random)
        return (
          UInt32.random(in: 1...300, using: &random),
          Array(names.shuffled(using: &random).prefix(count))
        )
      }
    }
    self.random = random
    for (place, plan) in plans.enumerated() {
      let list = ListID(UInt64(place + 1))
      lists[list] = List(
        total: plan.0, hosts: plan.1, states: [Bool](repeating: false, count: Int(plan.0)),
        left: Int(plan.0))
      let c = ServiceClass.allCases.randomElement(using: &self.random) ?? .default
      admission.add(list, ListLines(c), isPaused: false, now: .zero)
    }
  }

  mutating func run(until list: ListID? = nil) {
    for _ in 0..<5_000_000 {
      if isMeddled, events % 7 == 0 { meddle() }
      pump()
      for list in admission.doneLists { admission.drop(list, now: now) }
      if let list, lists[list]?.left == 0 { return }
      let next = [trips.map(\.end).min(), admission.nextDue].compactMap { $0 }.min()
      guard let next else {
        // Nothing happens by itself any more: the remaining lists are paused or downloads are
        // suspended.
        let isWaiting = lists.contains { $0.value.isPaused && $0.value.left > 0 }
        guard isWaiting || admission.hosts.isSuspended else { return }
        for list in lists.keys.sorted() { pause(list, false) }
        admission.suspendDownloads(false, now: now)
        continue
      }
      let isAlarm = trips.allSatisfy { $0.end > next }
      now = max(now, next)
      events += 1
      land()
      if isAlarm, admission.nextDue == next {
        // An alarm must admit a photo or be postponed.
        pump()
        if admission.nextDue == next { idleLooks += 1 }
      }
    }
  }

  private mutating func pump() {
    while true {
      switch admission.next(now: now) {
      case nil: return
      case .seek(let list, let after): admission.sought(list, unfinished(list, after))
      case .ask(let photo):
        asked += 1
        admission.learn(
          photo,
          Admission.Prospect(host: host(of: photo), isTried: tries[photo] ?? 0 > 0))
      case .give(let admitted): depart(admitted)
      }
    }
  }

  private func unfinished(_ list: ListID, _ after: UInt32) -> UInt32? {
    guard let plan = lists[list], after < plan.total else { return nil }
    return (after + 1...plan.total).first { !plan.states[Int($0) - 1] }
  }

  private func host(of photo: PhotoID) -> String? {
    guard let hosts = lists[photo.list]?.hosts, !hosts.isEmpty else { return nil }
    let name = hosts[Int(photo.number) % hosts.count]
    return name == "here" ? HostWindows.here : name
  }

  private mutating func depart(_ admitted: Admission.Admitted) {
    given += 1
    let photo = admitted.photo
    guard admitted.lost == nil, let host = host(of: photo), host != HostWindows.here else {
      if admitted.lost != nil, isWanting(photo) { unjust += 1 }
      if admitted.lost != nil { tries[photo] = policy.attempts }
      trips.append(Trip(photo: photo, host: nil, end: now, outcome: .answered))
      return
    }
    attempts += 1
    atHost[host, default: 0] += 1
    if atHost[host, default: 0] > most { excess += 1 }
    let (time, outcome) = answer(of: host, photo)
    trips.append(Trip(photo: photo, host: host, end: now + time, outcome: outcome))
  }

  /// Its host would have delivered it in the end.
  private func isWanting(_ photo: PhotoID) -> Bool {
    host(of: photo) == "flawed" && photo.number % 100 != 0
  }

  private mutating func answer(of host: String, _ photo: PhotoID) -> (Duration, HostWindow.Outcome)
  {
    let quick = Duration.milliseconds(Int64.random(in: 1...100, using: &random))
    switch host {
    case "slow": return (.seconds(Int64.random(in: 1...30, using: &random)), .answered)
    case "dead": return (quick, .failed(reset))
    case "lossy": return (quick, Bool.random(using: &random) ? .answered : .failed(reset))
    case "busy":
      let busy = Failure(
        .passing, code: "http.429", reason: "too many",
        waitSeconds: UInt32.random(in: 1...100, using: &random))
      return (quick, Int.random(in: 0..<10, using: &random) == 0 ? .failed(busy) : .answered)
    case "flawed":
      // One photo in a hundred always fails; of the others one in twenty fails at first.
      let isHiccup = tries[photo] == nil && Int.random(in: 0..<20, using: &random) == 0
      let failure = Failure(.passing, code: "http.500", reason: "it is broken")
      return (quick, photo.number % 100 == 0 || isHiccup ? .failed(failure) : .answered)
    case "back": return (quick, now < recovery ? .failed(reset) : .answered)
    default: return (quick, .answered)
    }
  }

  /// Ends every transfer whose time has come.
  private mutating func land() {
    let over = trips.filter { $0.end <= now }
    trips.removeAll { $0.end <= now }
    for trip in over {
      var wish: Admission.WishAnswer?
      if let host = trip.host {
        atHost[host, default: 1] -= 1
        let jitter = Double.random(in: 0...1, using: &random)
        wish = admission.answered(trip.photo, trip.outcome, now: now, jitter: jitter)?.wish
      }
      admission.ended(trip.photo, end(of: trip, wish), now: now)
    }
  }

  private mutating func end(of trip: Trip, _ wish: Admission.WishAnswer?) -> PhotoEnd {
    switch wish {
    case .granted(let gate): return .retry(after: gate - now)
    case .refused: return finish(trip.photo, .failed)
    case nil: break
    }
    guard case .failed(let failure) = trip.outcome else {
      if isMeddled, Int.random(in: 0..<20, using: &random) == 0 { return .stopped }
      return finish(trip.photo, .filtered)
    }
    let attempt = (tries[trip.photo] ?? 0) + 1
    tries[trip.photo] = attempt
    let jitter = Double.random(in: 0...1, using: &random)
    guard case .again(let wait) = policy.verdict(on: failure, attempt: attempt, jitter: jitter)
    else { return finish(trip.photo, .failed) }
    return .retry(after: wait)
  }

  private mutating func finish(_ photo: PhotoID, _ end: PhotoEnd) -> PhotoEnd {
    // A photo of a cancelled list has no state left.
    guard let isOver = lists[photo.list]?.states[Int(photo.number) - 1], !isOver else { return end }
    lists[photo.list]?.states[Int(photo.number) - 1] = true
    lists[photo.list]?.left -= 1
    return end
  }

  private mutating func meddle() {
    guard let list = lists.keys.sorted().randomElement(using: &random) else { return }
    switch Int.random(in: 0..<40, using: &random) {
    case 0, 1, 2: pause(list, true)
    case 3, 4, 5: pause(list, false)
    case 6 where lists.count > 1:
      admission.drop(list, now: now)
      lists[list] = nil
      for trip in trips where trip.photo.list == list {
        if let host = trip.host { atHost[host, default: 1] -= 1 }
      }
      trips.removeAll { $0.photo.list == list }
    case 7: _ = admission.flush(Bool.random(using: &random) ? nil : "dead", now: now)
    case 8: admission.suspendDownloads(true, now: now)
    default: admission.suspendDownloads(false, now: now)
    }
  }

  private mutating func pause(_ list: ListID, _ isOn: Bool) {
    guard lists[list]?.left ?? 0 > 0 else { return }
    lists[list]?.isPaused = isOn
    if isOn { admission.pause(list, now: now) } else { admission.resume(list, now: now) }
  }
}
