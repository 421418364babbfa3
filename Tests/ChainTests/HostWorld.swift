// SPDX-License-Identifier: Apache-2.0
// Hosts, lists of several users around an admission, in simulated time: each admitted photo gets the answer
// of its host, or of the server to which that leads it, and ends; users pause, cancel and flush.

import Support
import Vocabulary

@testable import Chain

struct HostWorld {
  private struct Trip {
    let photo: PhotoID
    /// The hosts at which it has a place.
    let hosts: [String]
    let end: Duration
    let answer: Answer
  }

  /// The last server of a transfer, and its outcome there.
  private struct Answer {
    var server: String?
    var outcome = HostWindow.Outcome.answered
  }

  /// A list that a user drops.
  struct Drop {
    let photos: UInt32
    let hosts: [String]
    var owner: UInt32 = 1
    var time = Duration.zero
  }

  private struct List {
    let total: UInt32
    let hosts: [String]
    let owner: UInt32
    let serviceClass: ServiceClass
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
  /// Requests to a closed host that were not its probe, or came before their time.
  private(set) var trespasses = 0
  /// Looks at a host that was still closed long after it had recovered, although photos waited for it.
  private(set) var late = 0
  private(set) var idleLooks = 0
  /// Moments at which a line with a photo and room was neither called nor had an alarm.
  private(set) var stuck = 0
  /// When the last photo of each host ended.
  private(set) var ends: [String: Duration] = [:]
  /// Photos given up although their host would have delivered them.
  private(set) var unjust = 0
  private var random: SplitMix
  private var lists: [ListID: List] = [:]
  /// The lists that are dropped later, the next one first.
  private var coming: [(time: Duration, list: ListID)] = []
  private var trips: [Trip] = []
  private var tries: [PhotoID: UInt32] = [:]
  private var atHost: [String: Int] = [:]
  private let isMeddled: Bool
  /// Photos need seats.
  private let isShared: Bool
  private(set) var shares = 0
  private var nextShare = Duration.zero
  private let most: Int
  private let policy = RetryPolicy()
  /// When the hosts `back` and `gate` recover.
  private let recovery: Duration
  /// The servers to which `door` and `gate` lead photos, and when they begin to lead each to another one.
  private let targets: [String]
  private let turning: Duration
  /// This machine has no network then. The host `back` recovers later by this time.
  var outage: Range<Duration>?
  /// The number of dead servers to which `stray` leads photos.
  private let spread: Int

  var left: Int { lists.values.reduce(0) { $0 + $1.left } }

  init(
    seed: UInt64, lists given: [(UInt32, [String])] = [], drops: [Drop] = [],
    meddling: Bool = true, sharing: Bool = false, patience: Duration = .seconds(1800),
    isWide: Bool = false
  ) {
    var random = SplitMix(seed: seed)
    most = Int.random(in: isWide ? 4...6 : 1...6, using: &random)
    recovery = .seconds(Int64.random(in: 1...4000, using: &random))
    turning = .seconds(Int64.random(in: 1...4000, using: &random))
    targets = Array(
      ["well", "dead", "lossy", "busy", "back"].shuffled(using: &random)
        .prefix(Int.random(in: 1...4, using: &random)))
    (isMeddled, isShared) = (meddling, sharing)
    spread = [1, 3, 10_000][Int(seed % 3)]
    let limits = HostLimits(most: most, patience: patience, areShared: sharing)
    let hosts = HostWindows(limits, triedPatience: policy.span)
    let window = isWide ? 40 : Int.random(in: 4...40, using: &random)
    admission = Admission(
      window: window, reserve: Int.random(in: 0...4, using: &random),
      kept: isWide ? 10 : Int.random(in: 0...window / 4, using: &random), hosts: hosts)
    var plans = given
    if plans.isEmpty, drops.isEmpty {
      let names = ["well", "slow", "dead", "lossy", "busy", "back", "here", "door", "gate"]
      plans = (0..<Int.random(in: 1...9, using: &random)).map { _ in
        let count = Int.random(in: 1...4, using: &random)
        return (
          UInt32.random(in: 1...300, using: &random),
          Array(names.shuffled(using: &random).prefix(count))
        )
      }
    }
    let all = plans.map { photos, hosts in
      Drop(photos: photos, hosts: hosts, owner: UInt32.random(in: 1...3, using: &random))
    }
    self.random = random
    for (place, drop) in (all + drops).enumerated() {
      let list = ListID(UInt64(place + 1))
      lists[list] = List(
        total: drop.photos, hosts: drop.hosts, owner: drop.owner,
        serviceClass: ServiceClass.allCases.randomElement(using: &self.random) ?? .default,
        states: [Bool](repeating: false, count: Int(drop.photos)), left: Int(drop.photos))
      coming.append((drop.time, list))
    }
    coming.sort { ($0.time, $0.list) < ($1.time, $1.list) }
    arrive()
  }

  private mutating func arrive() {
    while let (time, list) = coming.first, time <= now {
      coming.removeFirst()
      guard let plan = lists[list] else { continue }
      admission.add(
        list, ListLines(plan.serviceClass, owner: plan.owner), isPaused: false, now: now)
    }
  }

  mutating func run(until list: ListID? = nil) {
    for _ in 0..<5_000_000 {
      if isMeddled, events % 7 == 0 { meddle() }
      pump()
      if isShared { share() }
      if isLooking, hasStuckLine { stuck += 1 }
      for list in admission.doneLists { admission.drop(list, now: now) }
      if let list, lists[list]?.left == 0 { return }
      let renewal = isShared && left > 0 && shares < 100_000 ? nextShare : nil
      let next = [trips.map(\.end).min(), admission.nextDue, renewal, coming.first?.time]
        .compactMap { $0 }.min()
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
      arrive()
      land()
      if !isMeddled, isLooking { findLate() }
      if isAlarm, admission.nextDue == next {
        // An alarm must admit a photo or be postponed.
        pump()
        if admission.nextDue == next { idleLooks += 1 }
      }
    }
  }

  /// This machine alone gets the seats that it claims, when it asks for them and every ten seconds.
  private mutating func share() {
    guard admission.hosts.takeSeatNews() || now >= nextShare else { return }
    shares += 1
    nextShare = now + .seconds(10)
    let grants = admission.claimSeats(now: now).map { SeatGrant($0.host, seats: $0.need) }
    admission.grantSeats(grants, until: now + .seconds(30), now: now, jitter: 1)
    pump()
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
      trips.append(Trip(photo: photo, hosts: [], end: now, answer: Answer()))
      return
    }
    attempts += 1
    let key = admission.key(of: photo)
    let place = key.flatMap { admission.lines[$0]?.inFlight[photo.number] }
    ask(host, photo, isProbe: place?.isProbe == true)
    if let beyond = place?.beyond { ask(beyond.server, photo, isProbe: beyond.isProbe) }
    let (time, reply) = answer(of: host, photo)
    let hosts = [host] + (place?.beyond.map { [$0.server] } ?? [])
    trips.append(Trip(photo: photo, hosts: hosts, end: now + time, answer: reply))
  }

  /// A photo has a place at the host.
  private mutating func ask(_ host: String, _ photo: PhotoID, isProbe: Bool) {
    atHost[host, default: 0] += 1
    if atHost[host, default: 0] > most { excess += 1 }
    guard let closure = admission.closure(of: host, for: photo.list) else { return }
    if !isProbe || closure.next > now { trespasses += 1 }
  }

  /// A probe comes at least once a minute, and may have to wait for one of the host before it, or for the end of a wish.
  private mutating func findLate() {
    for closed in admission.hosts.closed(now: now) {
      let name = closed.name
      let isBack = ["back", "gate"].contains(name)
      let since = max(closed.closure.since, isBack ? recovery : .zero)
      if isBack || ["well", "door"].contains(name), now > since + .seconds(300) { late += 1 }
    }
  }

  /// Its host would have delivered it in the end.
  private func isWanting(_ photo: PhotoID) -> Bool {
    switch host(of: photo) {
    case "flawed": photo.number % 100 != 0
    case "partial": lists[photo.list]?.owner != 1
    case "back": outage != nil && tries[photo] == nil
    default: false
    }
  }

  /// The host `back` fails.
  private var isAway: Bool {
    guard let outage, now >= outage.lowerBound else { return now < recovery }
    return outage.lowerBound + max(.zero, now - outage.upperBound) < recovery
  }

  private mutating func answer(of host: String, _ photo: PhotoID) -> (Duration, Answer) {
    let isDown = host == "gate" && now < recovery
    let server = isDown ? host : target(of: photo, at: host) ?? host
    let (time, outcome) = work(at: isDown ? "busy" : server, photo, isDown: isDown)
    return (time, Answer(server: server, outcome: outcome))
  }

  /// The server to which the host leads the photo; nil if it has the photo itself.
  private func target(of photo: PhotoID, at host: String) -> String? {
    if host == "stray" { return "lost\(Int(photo.number) % spread)" }
    guard host == "door" || host == "gate" else { return nil }
    let place = (Int(photo.number) + (now < turning ? 0 : 1)) % (targets.count + 1)
    return place == 0 ? nil : targets[place - 1]
  }

  private mutating func work(
    at server: String, _ photo: PhotoID, isDown: Bool
  ) -> (Duration, HostWindow.Outcome) {
    let quick = Duration.milliseconds(Int64.random(in: 1...100, using: &random))
    switch server {
    case "slow": return (.seconds(Int64.random(in: 1...30, using: &random)), .answered)
    case "dead": return (quick, .failed(reset))
    case _ where server.hasPrefix("lost"): return (quick, .failed(reset))
    case "lossy": return (quick, Bool.random(using: &random) ? .answered : .failed(reset))
    case "busy":
      let busy = Failure(
        .passing, code: "http.429", reason: "too many",
        waitSeconds: UInt32.random(in: 1...100, using: &random))
      let isBusy = Int.random(in: 0..<10, using: &random) == 0
      return (quick, isBusy ? .failed(busy) : isDown ? .failed(reset) : .answered)
    case "flawed":
      // One photo in a hundred always fails; of the others one in twenty fails at first.
      let isHiccup = tries[photo] == nil && Int.random(in: 0..<20, using: &random) == 0
      let failure = Failure(.passing, code: "http.500", reason: "it is broken")
      return (quick, photo.number % 100 == 0 || isHiccup ? .failed(failure) : .answered)
    case "partial":
      // All photos of the first user fail; of the others one in ten fails at first.
      let isHiccup = tries[photo] == nil && Int.random(in: 0..<10, using: &random) == 0
      let failure = Failure(.passing, code: "http.500", reason: "it is broken")
      return (quick, !isWanting(photo) || isHiccup ? .failed(failure) : .answered)
    case "foul" where lists[photo.list]?.owner == 1: return foul(quick)
    case "back": return (quick, isAway ? .failed(reset) : .answered)
    default: return (quick, .answered)
    }
  }

  /// All that a path can do to a server, and a port with another scheme.
  private mutating func foul(_ quick: Duration) -> (Duration, HostWindow.Outcome) {
    func failure(_ code: String, wait: UInt32? = nil) -> HostWindow.Outcome {
      .failed(Failure(.passing, code: code, reason: "it is foul", waitSeconds: wait))
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: return (.seconds(30), failure("time.slow"))
    case 2: return (quick, failure("http.503"))
    case 3: return (quick, failure("http.429", wait: 3600))
    case 4: return (quick, failure("connect.refused"))
    case 5, 6: return (.seconds(Int64.random(in: 60...3600, using: &random)), .answered)
    default: return (quick, .answered)
    }
  }

  /// Ends every transfer whose time has come.
  private mutating func land() {
    let over = trips.filter { $0.end <= now }
    trips.removeAll { $0.end <= now }
    for trip in over {
      var wish: Admission.WishAnswer?
      for host in trip.hosts { atHost[host, default: 1] -= 1 }
      if !trip.hosts.isEmpty, outage?.contains(now) == true {
        let down = Failure(.machine, scope: .one, code: "network.down", reason: "no network")
        admission.ended(trip.photo, .listTrouble(down), now: now)
        continue
      }
      if !trip.hosts.isEmpty {
        let jitter = Double.random(in: 0...1, using: &random)
        wish =
          admission.answered(
            trip.photo, by: trip.answer.server, trip.answer.outcome, now: now, jitter: jitter)?.wish
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
    guard case .failed(let failure) = trip.answer.outcome else {
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
    if let host = host(of: photo) { ends[host] = now }
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
        for host in trip.hosts { atHost[host, default: 1] -= 1 }
      }
      trips.removeAll { $0.photo.list == list }
    case 7: _ = admission.flush(Bool.random(using: &random) ? nil : "dead", now: now)
    case 9:
      let name = ["dead", "partial", "busy"].randomElement(using: &random) ?? "dead"
      let owner = UInt32.random(in: 1...3, using: &random)
      _ = admission.flush(for: [name: [owner]], now: now)
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
