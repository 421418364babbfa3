// SPDX-License-Identifier: Apache-2.0
// One host: its owners, and the lines that wait there. A plain value.

import Queues
import Vocabulary

extension HostWindows {
  /// An owner at a host. The URLs of one owner may all fail, or be slow, where the URLs of others are not. So each owner has
  /// a window: its limit, its closure and its patience hold up no other owner.
  struct Guest: Sendable {
    var window = HostWindow()
    /// An untried photo failed as a probe since it is closed, so the host is to blame, not the photos.
    private(set) var hasFailedFresh = false
    /// The lists whose photos failed here since it is closed.
    private(set) var failed: Set<ListID> = []

    /// Notes the failure of a photo of the list since it is closed.
    /// - Parameter isFresh: It was the probe of an untried photo.
    mutating func lost(_ list: ListID, isFresh: Bool) {
      if isFresh { hasFailedFresh = true }
      if failed.count < HostWindows.mostFailed { failed.insert(list) }
    }

    mutating func forgetLosses() { (hasFailedFresh, failed) = (false, []) }
  }

  struct Host: Sendable {
    /// With photos in flight here, or with trouble.
    var guests: [UInt32: Guest] = [:]
    var queues = [OwnerTurns<LineKey>](
      repeating: OwnerTurns(), count: ServiceClass.allCases.count)
    var called = HostCalls()
    var turns = ClassTurns()
    /// The time of its alarm in `gates`.
    var alarm: Duration?
    /// The first closure that was reported, until its end is.
    private var reported: HostWindow.Closure?
    /// The last answer to any owner.
    var lastAnswer: Duration?

    /// Of all owners.
    var inFlight: Int { guests.values.reduce(0) { $0 + $1.window.inFlight } }

    var isAwaited: Bool { !called.isEmpty || queues.contains { !$0.isEmpty } }

    /// The host has called a line, and other lines wait.
    var isCrowded: Bool { !called.isEmpty && queues.contains { !$0.isEmpty } }

    /// The queue of the lines of a class.
    subscript(_ serviceClass: ServiceClass) -> OwnerTurns<LineKey> {
      get { queues[Int(serviceClass.rawValue)] }
      _modify { yield &queues[Int(serviceClass.rawValue)] }
    }

    /// A line that waits is meant.
    private func isAwaited(by isMeant: (UInt32) -> Bool) -> Bool {
      called.shares.contains { isMeant($0.owner) }
        || queues.contains { $0.owners.contains(where: isMeant) }
    }

    /// The owners of lines that wait.
    var awaitedOwners: Set<UInt32> {
      queues.reduce(into: Set(called.shares.map(\.owner))) { $0.formUnion($1.owners) }
    }

    /// The owners without photos or lines here, who are remembered only because of their trouble.
    var idleOwners: [UInt32] {
      let idle = guests.filter { $0.value.window.inFlight == 0 }
      if idle.isEmpty { return [] }
      let awaited = awaitedOwners
      return idle.keys.filter { !awaited.contains($0) }
    }

    /// True if a line waits for one of the places and goes first: a more urgent one, or one of an owner without a photo in
    /// flight here. A line for whose owner there is no place holds up no other owner.
    func isAwaited(ahead serviceClass: ServiceClass, of owner: UInt32, in places: Places) -> Bool {
      called.shares.contains { $0.serviceClass <= serviceClass && places.isFor($0.owner) }
        || queues[...Int(serviceClass.rawValue)].contains {
          $0.owners.contains(where: places.isFor)
        }
        || (!places.isFree(of: owner)
          && isAwaited { $0 != owner && places.isFree(of: $0) && places.isFor($0) })
    }

    /// Notes the outcome of a photo of the line. A line without more photos here has no turn to lose.
    mutating func judge(_ key: LineKey, _ outcome: HostWindow.Outcome, _ now: Duration) {
      if outcome.isAnswer { lastAnswer = now }
      switch outcome {
      case .answered: for place in queues.indices { queues[place].succeeded(key) }
      case .failed, .led:
        let own =
          called[key]?.serviceClass ?? ServiceClass.allCases.first { self[$0].holds(key) }
        if let own { self[own].failed(key) }
      case .unreached, .unknown: break
      }
    }

    /// The places that are left after the calls of the host, and for each owner the number of calls for which there
    /// is no place. Owners with the fewest photos in flight go first.
    func uncalled(of all: Places) -> (places: Places, surplus: [UInt32: Int]) {
      var places = all
      var calls = called.owners
      while let owner = calls.keys.filter(places.isFor).min(by: {
        (places.taken($0), $0) < (places.taken($1), $1)
      }) {
        places.take(owner)
        let left = (calls[owner] ?? 1) - 1
        calls[owner] = left > 0 ? left : nil
      }
      return (places, calls)
    }

    /// A line without a place goes first. If the host is closed for its owner, the line goes behind the other lines
    /// that wait for a probe.
    mutating func takeBack(_ key: LineKey, _ share: OwnerSeats.Share) {
      if isClosed(for: share.owner) {
        self[share.serviceClass].append(key, of: share.owner)
      } else {
        self[share.serviceClass].insertFirst(key, of: share.owner)
      }
    }

    /// The same for several lines, which keep their order.
    mutating func takeBack(_ lines: [(key: LineKey, share: OwnerSeats.Share)]) {
      for (key, share) in lines where isClosed(for: share.owner) { takeBack(key, share) }
      for (key, share) in lines.reversed() where !isClosed(for: share.owner) {
        takeBack(key, share)
      }
    }

    /// True if an owner with room waits for one of the places.
    func hasHeir(in places: Places, with hasRoom: (OwnerSeats.Share) -> Bool) -> Bool {
      zip(ServiceClass.allCases, queues).contains { serviceClass, queue in
        queue.owners.contains {
          places.isFor($0) && hasRoom(OwnerSeats.Share(owner: $0, serviceClass: serviceClass))
        }
      }
    }

    func holds(_ key: LineKey) -> Bool {
      called[key] != nil || queues.contains { $0.holds(key) }
    }

    /// Calls the next line for which there is a place: of an owner without one first.
    mutating func call(
      in places: Places, of isMeant: (OwnerSeats.Share) -> Bool = { _ in true }
    ) -> LineKey? {
      call { places.isFree(of: $0.owner) && places.isFor($0.owner) && isMeant($0) }
        ?? call { places.isFor($0.owner) && isMeant($0) }
    }

    /// The most urgent line that is meant first; one of eight is from the other classes in turn, so that no line starves.
    mutating func call(of isMeant: (OwnerSeats.Share) -> Bool) -> LineKey? {
      func mayGo(_ owner: UInt32, _ serviceClass: ServiceClass) -> Bool {
        isMeant(OwnerSeats.Share(owner: owner, serviceClass: serviceClass))
      }
      let waiting = ServiceClass.allCases.filter { serviceClass in
        self[serviceClass].owners.contains { mayGo($0, serviceClass) }
      }
      guard let next = turns.next(of: waiting),
        let (key, owner) = self[next].next(of: { mayGo($0, next) })
      else { return nil }
      turns.gave(next, of: waiting)
      called.add(key, OwnerSeats.Share(owner: owner, serviceClass: next))
      return key
    }

    /// Calls all lines of an owner, whose photos give up.
    mutating func callLines(of owner: UInt32) -> [LineKey] {
      var keys: [LineKey] = []
      for serviceClass in ServiceClass.allCases {
        let share = OwnerSeats.Share(owner: owner, serviceClass: serviceClass)
        let own = self[serviceClass].takeAll(of: owner)
        for key in own { called.add(key, share) }
        keys += own
      }
      return keys
    }

    // MARK: trouble

    /// True if the host does not answer the owner's requests from this machine, and answers another machine. If the
    /// host answered another owner here since it was closed for this owner, the paths of the photos are the cause,
    /// and the photos would fail on any machine.
    func isUnreached(for owner: UInt32, within limit: Duration, now: Duration) -> Bool {
      guard let window = guests[owner]?.window, window.isUnreached(within: limit, now: now),
        let closure = window.closure
      else { return false }
      return lastAnswer.map { $0 < closure.since } ?? true
    }

    var closures: [HostWindow.Closure] { guests.values.compactMap { $0.window.closure } }

    func isClosed(for owner: UInt32) -> Bool { guests[owner]?.window.closure != nil }

    /// The news of one owner as news of the host: it is closed with the first owner, and open again with the last, or with
    /// the next answer if the closure of the last one was forgotten.
    mutating func told(
      _ news: HostWindow.News?, _ outcome: HostWindow.Outcome
    ) -> HostWindow.News? {
      if case .closed(let closure) = news {
        guard reported == nil, closures.count(where: \.isTold) == 1 else { return nil }
        reported = closure
        return news
      }
      guard outcome.isAnswer, let closure = reported else { return nil }
      if closures.contains(where: \.isTold) { return nil }
      reported = nil
      return .reopened(closure)
    }

    /// Each owner here has it closed.
    var isClosedForAll: Bool {
      !guests.isEmpty && guests.values.allSatisfy { $0.window.closure != nil }
        && !isAwaited { guests[$0] == nil }
    }

    /// The next time at which an owner with a waiting line may probe.
    func gate(now: Duration) -> Duration? {
      let gates = guests.compactMapValues { $0.window.closure?.next }.filter { $0.value > now }
      if gates.isEmpty { return nil }
      let awaited = awaitedOwners
      return gates.lazy.filter { awaited.contains($0.key) }.map(\.value).min()
    }

    /// Says what other machines should know. The URLs of one owner say nothing of a host that answers another.
    mutating func word(now: Duration) -> HostWord {
      var found = HostWord.none
      for owner in guests.keys.sorted() {
        switch (guests[owner]?.window.word(now: now) ?? .none, found) {
        case (.none, _): break
        case (.answered, _): found = .answered
        case (.failed(let wait), .failed(let other)): found = .failed(wait: min(wait, other))
        case (.failed(let wait), .none): found = .failed(wait: wait)
        case (.failed, .answered): break
        }
      }
      if case .failed = found, guests.values.contains(where: { $0.window.isAnswered }) {
        return .none
      }
      return found
    }
  }

  /// The places of a host that photos may take, of all owners. A quarter is kept for owners with few: the slow answers to one
  /// owner would hold them all.
  struct Places {
    /// The limit of each owner's window, less the photos in flight; a new owner has the limit of a new window.
    private var own: [UInt32: Int] = [:]
    private let new: Int
    /// The photos in flight of each owner.
    private var taken: [UInt32: Int] = [:]
    private var rest: Int
    private let most: Int

    /// - Parameter seats: of this machine, where the limit holds for many machines.
    init(_ guests: [UInt32: Guest], now: Duration, most: Int, seats: Int?) {
      new = HostWindow().room(now: now, most: most)
      self.most = min(most, seats ?? most)
      rest = self.most
      for (owner, guest) in guests {
        own[owner] = guest.window.room(now: now, most: most)
        taken[owner] = guest.window.inFlight
        rest -= guest.window.inFlight
      }
    }

    func taken(_ owner: UInt32) -> Int { taken[owner] ?? 0 }

    /// The owner has none of the places.
    func isFree(of owner: UInt32) -> Bool { taken[owner, default: 0] == 0 }

    func isFor(_ owner: UInt32) -> Bool {
      own[owner] ?? new > 0
        && WindowRoom(rest: rest, ofHostWith: most).isFor(ownerWith: taken[owner] ?? 0)
    }

    mutating func take(_ owner: UInt32) {
      own[owner] = (own[owner] ?? new) - 1
      taken[owner, default: 0] += 1
      rest -= 1
    }
  }
}
