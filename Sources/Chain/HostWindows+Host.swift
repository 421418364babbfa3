// SPDX-License-Identifier: Apache-2.0
// One host: its window, and the lines that wait there. A plain value.

import Queues
import Vocabulary

extension HostWindows {
  /// An owner whose photos have failed at a host since it is closed. The photos of one owner may all fail where the photos
  /// of others do not, so that the patience of each owner counts for itself.
  struct Loser: Sendable {
    let since: Duration
    /// An untried photo of the owner has failed too, so the host is to blame, not the photos.
    var hasFailedFresh = false
  }

  struct Host: Sendable {
    var window = HostWindow()
    var queues = [OwnerTurns<LineKey>](
      repeating: OwnerTurns(), count: ServiceClass.allCases.count)
    var called: [LineKey: OwnerSeats.Share] = [:]
    var turns = ClassTurns()
    /// The time of its alarm in `gates`.
    var alarm: Duration?
    /// The lists whose photos have failed here since it is closed.
    var failed: Set<ListID> = []
    /// The owners of all such lists.
    var losers: [UInt32: Loser] = [:]

    var isAwaited: Bool { !called.isEmpty || queues.contains { !$0.isEmpty } }

    /// It has called a line, and others wait.
    var isCrowded: Bool { !called.isEmpty && queues.contains { !$0.isEmpty } }

    /// The queue of the lines of a class.
    subscript(_ serviceClass: ServiceClass) -> OwnerTurns<LineKey> {
      get { queues[Int(serviceClass.rawValue)] }
      _modify { yield &queues[Int(serviceClass.rawValue)] }
    }

    /// True if a line waits that goes first.
    func isAwaited(ahead serviceClass: ServiceClass) -> Bool {
      called.contains { $0.value.serviceClass <= serviceClass }
        || queues[...Int(serviceClass.rawValue)].contains { !$0.isEmpty }
    }

    /// Notes the outcome of a photo of the line. A line without more photos here has no turn to lose.
    mutating func judge(_ key: LineKey, _ outcome: HostWindow.Outcome) {
      switch outcome {
      case .answered: for place in queues.indices { queues[place].succeeded(key) }
      case .failed, .led:
        let own =
          called[key]?.serviceClass ?? ServiceClass.allCases.first { self[$0].holds(key) }
        if let own { self[own].failed(key) }
      case .unreached, .unknown: break
      }
    }

    /// Sorted, so that a simulation replays.
    var sortedCalls: [(key: LineKey, share: OwnerSeats.Share)] {
      called.map { (key: $0.key, share: $0.value) }.sorted {
        ($0.key.list, $0.key.own?.rawValue ?? .max) < ($1.key.list, $1.key.own?.rawValue ?? .max)
      }
    }

    /// True if an owner without room is called, and an owner with room waits.
    func mayPass(unless hasRoom: (OwnerSeats.Share) -> Bool) -> Bool {
      called.values.contains { !hasRoom($0) }
        && zip(ServiceClass.allCases, queues).contains { serviceClass, queue in
          queue.owners.contains {
            hasRoom(OwnerSeats.Share(owner: $0, serviceClass: serviceClass))
          }
        }
    }

    /// Notes the failure of a photo of the list since the host is closed.
    /// - Parameter isFresh: It was the probe of an untried photo.
    mutating func lost(_ list: ListID, of owner: UInt32, isFresh: Bool, now: Duration) {
      var loser = losers[owner] ?? Loser(since: now)
      if isFresh { loser.hasFailedFresh = true }
      losers[owner] = loser
      if failed.count < HostWindows.mostFailed { failed.insert(list) }
    }

    func holds(_ key: LineKey) -> Bool {
      called[key] != nil || queues.contains { $0.holds(key) }
    }

    /// The most urgent line that is meant first; one of eight is from the other classes in turn, so that no line starves.
    mutating func call(
      of isMeant: (OwnerSeats.Share) -> Bool = { _ in true }
    ) -> LineKey? {
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
      called[key] = OwnerSeats.Share(owner: owner, serviceClass: next)
      return key
    }
  }
}
