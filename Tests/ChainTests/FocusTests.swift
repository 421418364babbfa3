// SPDX-License-Identifier: Apache-2.0
// The photos that people look at go first within their owner's share: the focus as a value.

import Testing
import Vocabulary

@testable import Chain

@Suite struct FocusTests {
  private let viewer = FocusBoard.Viewer(ListID(1), user: 1000)

  private func admission(
    _ owners: [UInt32], window: Int = 100, most: Int = 6, _ serviceClass: ServiceClass = .default
  ) -> Admission {
    var admission = Admission(window: window, hosts: HostWindows(HostLimits(most: most)))
    for (place, owner) in owners.enumerated() {
      admission.add(
        ListID(UInt64(place + 1)), ListLines(serviceClass, owner: owner), isPaused: false,
        now: .zero)
    }
    return admission
  }

  private func take(
    _ admission: inout Admission, host: String? = nil, at now: Duration = .zero
  ) -> Admission.Admitted? {
    admission.take(now: now, total: 100_000) { _ in Admission.Prospect(host: host) }
  }

  private func numbers(
    _ admission: inout Admission, _ count: Int, host: String? = nil
  ) -> [String] {
    (0..<count).compactMap { _ in
      take(&admission, host: host).map { "\($0.photo.list).\($0.photo.number)" }
    }
  }

  @Test
  func `focused photos go first, in the order named, and one turn in eight is for the others`()
    throws
  {
    var admission = admission([1000])
    #expect(numbers(&admission, 1) == ["1.1"])
    try admission.setFocus(
      viewer, [50, 40, 41, 42, 43, 44, 45, 46, 47], until: .seconds(60), now: .zero)
    let first = take(&admission)
    #expect(first?.photo == photo(1, 50) && first?.serviceClass == .userInteractive)
    #expect(
      numbers(&admission, 10)
        == ["1.40", "1.41", "1.42", "1.43", "1.44", "1.45", "1.2", "1.46", "1.47", "1.3"])
    // The cursor comes to them later: they are in flight.
    #expect(numbers(&admission, 2) == ["1.4", "1.5"])
    #expect(admission.serviceClass(of: photo(1, 50)) == .userInteractive)
    #expect(admission.ownClass(of: photo(1, 50)) == .default)
    #expect(admission.serviceClass(of: photo(1, 5)) == .default)
  }

  @Test
  func `a focus takes the turns of its owner, of whatever list, and no turn of another owner`()
    throws
  {
    var admission = admission([1000, 2000, 1000])
    try admission.setFocus(viewer, [50, 51, 52, 53], until: .seconds(60), now: .zero)
    #expect(numbers(&admission, 7) == ["1.50", "2.1", "1.51", "2.2", "1.52", "2.3", "1.53"])
  }

  @Test func `viewers take turns, and a photo that two look at is admitted once`() throws {
    var admission = admission([1000])
    let other = FocusBoard.Viewer(ListID(1), user: 1000, name: "page")
    try admission.setFocus(viewer, [50, 51, 52], until: .seconds(60), now: .zero)
    try admission.setFocus(other, [70, 51, 71], until: .seconds(60), now: .zero)
    #expect(numbers(&admission, 5) == ["1.50", "1.70", "1.51", "1.52", "1.71"])
    #expect(numbers(&admission, 1) == ["1.1"])
  }

  @Test func `a new call replaces the photos of the viewer, and the lease ends with its time`()
    throws
  {
    var admission = admission([1000])
    try admission.setFocus(viewer, [50, 51, 52], until: .seconds(60), now: .zero)
    #expect(numbers(&admission, 1) == ["1.50"])
    try admission.setFocus(viewer, [52, 60], until: .seconds(90), now: .seconds(30))
    #expect(numbers(&admission, 1) == ["1.52"])
    #expect(admission.focus.isFocused(photo(1, 60)) && !admission.focus.isFocused(photo(1, 50)))
    #expect(admission.focus.nextEnd == .seconds(90))
    admission.focus.expire(.seconds(89))
    #expect(!admission.focus.isEmpty)
    admission.focus.expire(.seconds(90))
    #expect(admission.focus.isEmpty && !admission.focus.isFocused(photo(1, 60)))
    #expect(numbers(&admission, 2) == ["1.1", "1.2"])
    try admission.setFocus(viewer, [70], until: .seconds(99), now: .zero)
    #expect(admission.endFocus(viewer) && !admission.endFocus(viewer))
    #expect(numbers(&admission, 1) == ["1.3"])
  }

  @Test func `a photo that is done is passed over, and one that waits for another attempt stays`()
    throws
  {
    var admission = admission([1000])
    _ = take(&admission)
    admission.ended(photo(1, 1), .retry(after: .seconds(5)), now: .zero)
    try admission.setFocus(viewer, [1, 7, 8], until: .seconds(60), now: .zero)
    let next = admission.take(now: .zero, total: 100) {
      Admission.Prospect(isDone: $0.number == 7)
    }
    #expect(next?.photo == photo(1, 8))
    #expect(numbers(&admission, 1) == ["1.2"])
    let late = take(&admission, at: .seconds(5))
    #expect(late?.photo == photo(1, 1) && late?.serviceClass == .userInteractive)
  }

  @Test func `a focused photo that ends while the cursor comes to it is not given again`() throws {
    var admission = admission([1000])
    try admission.setFocus(viewer, [1], until: .seconds(60), now: .zero)
    #expect(numbers(&admission, 1) == ["1.1"])
    #expect(admission.next(now: .zero) == .seek(ListID(1), after: 0))
    // The record was read before this end.
    admission.ended(photo(1, 1), .filtered, now: .zero)
    admission.sought(ListID(1), 1)
    #expect(admission.next(now: .zero) == .ask(photo(1, 1)))
    admission.learn(photo(1, 1), Admission.Prospect(isDone: true))
    #expect(admission.next(now: .zero) == .seek(ListID(1), after: 1))
  }

  /// It was learned for a turn that the photo did not get.
  @Test func `what was learned of a photo before it ended is not used`() throws {
    var board = FocusBoard()
    try board.set(viewer, of: 1000, [5], until: .seconds(60), now: .zero)
    func next() -> FocusBoard.Candidate? { board.next(1000, unless: { _ in false }) }
    let first = next()
    let isLearned = board.learn(photo(1, 5), Admission.Prospect(host: "a"))
    #expect(first?.photo == photo(1, 5) && first?.prospect == nil && isLearned)
    _ = board.ended(photo(1, 4), isDone: true)
    let second = next()
    #expect(second?.prospect?.host == "a")
    _ = board.ended(photo(1, 5), isDone: true)
    let last = next()
    #expect(last?.photo == photo(1, 5) && last?.prospect == nil)
  }

  @Test func `a photo that has ended makes no room`() throws {
    var admission = admission([1000], window: 2)
    #expect(numbers(&admission, 2) == ["1.1", "1.2"])
    try admission.setFocus(viewer, [50], until: .seconds(60), now: .zero)
    let chains = [2, 1].map {
      Admission.Movable(photo(1, $0), admitted: .seconds(Int64($0)), .waits)
    }
    admission.ended(photo(1, 2), .filtered, now: .zero)
    #expect(numbers(&admission, 1) == ["1.50"])
    try admission.setFocus(viewer, [50, 60], until: .seconds(60), now: .zero)
    #expect(admission.makeRoom(chains, now: .zero) == [photo(1, 1)])
  }

  @Test func `a paused list gives no focused photo until it is resumed`() throws {
    var admission = admission([1000, 1000])
    admission.pause(ListID(1), now: .zero)
    try admission.setFocus(viewer, [50], until: .seconds(60), now: .zero)
    #expect(numbers(&admission, 2) == ["2.1", "2.2"])
    admission.resume(ListID(1), now: .zero)
    #expect(numbers(&admission, 1) == ["1.50"])
  }

  @Test func `viewers of a list are limited, and those of a list that is not at work are refused`()
    throws
  {
    var admission = admission([1000])
    for name in 1...FocusBoard.mostOfList {
      let viewer = FocusBoard.Viewer(ListID(1), user: 1000, name: OutsideText(checked: "\(name)"))
      try admission.setFocus(viewer, [1], until: .seconds(60), now: .zero)
    }
    #expect(throws: FocusBoard.tooManyViewers) {
      try admission.setFocus(viewer, [1], until: .seconds(60), now: .zero)
    }
    #expect(throws: FocusBoard.notAtWork) {
      try admission.setFocus(
        FocusBoard.Viewer(ListID(9), user: 0), [1], until: .seconds(60), now: .zero)
    }
    admission.drop(ListID(1), now: .zero)
    #expect(admission.focus.isEmpty)
  }

  @Test func `a user with many lists leaves places for the viewers of another one`() throws {
    let most = FocusBoard.mostOfOwner
    #expect(most * 8 <= FocusBoard.mostViewers)
    var admission = admission(Array(repeating: 1000, count: most + 1) + [2000])
    func look(at list: Int) throws {
      let viewer = FocusBoard.Viewer(ListID(UInt64(list)), user: 1000)
      try admission.setFocus(viewer, [1], until: .seconds(60), now: .zero)
    }
    for list in 1...most { try look(at: list) }
    #expect(throws: FocusBoard.tooManyViewers) { try look(at: most + 1) }
    try look(at: most + 2)
    try look(at: 1)
  }

  // MARK: hosts

  @Test func `the call of a host to the owner is for the focused photo that waits there`() throws {
    var admission = admission([1000, 2000], most: 1)
    #expect(numbers(&admission, 3, host: "a") == ["1.1"])
    try admission.setFocus(viewer, [50, 51], until: .seconds(60), now: .zero)
    #expect(take(&admission, host: "a") == nil)
    var order: [String] = []
    var last = photo(1, 1)
    for _ in 0..<6 {
      _ = admission.answered(last, .answered, now: .zero, jitter: 0)
      admission.ended(last, .filtered, now: .zero)
      guard let next = take(&admission, host: "a")?.photo else { break }
      order.append("\(next.list).\(next.number)")
      last = next
    }
    #expect(order == ["2.1", "1.50", "2.2", "1.51", "2.3", "1.2"])
  }

  // MARK: making room

  /// Two owners share the only two places of a host; the focus of the first waits for one of them.
  private func crowded() throws -> Admission {
    var admission = admission([1000, 2000], most: 2)
    #expect(numbers(&admission, 9, host: "a") == ["1.1", "2.1"])
    try admission.setFocus(viewer, [50], until: .seconds(60), now: .zero)
    #expect(take(&admission, host: "a") == nil)
    return admission
  }

  private func movables(_ state: Admission.MovableState) -> [Admission.Movable] {
    [photo(1, 1), photo(2, 1)].map { Admission.Movable($0, admitted: .zero, state) }
  }

  @Test func `a photo of the same owner makes room at the host, and its place goes to nobody else`()
    throws
  {
    var admission = try crowded()
    let late = FocusBoard.patience
    #expect(admission.makeRoom(movables(.transfers), now: late / 2).isEmpty)
    #expect(admission.makeRoom(movables(.settled), now: late).isEmpty)
    #expect(admission.makeRoom(movables(.transfers), now: late) == [photo(1, 1)])
    #expect(admission.makeRoom(movables(.transfers), now: late).isEmpty, "one is on its way")
    admission.ended(photo(1, 1), .stopped, now: late)
    let given = take(&admission, host: "a")
    #expect(given?.photo == photo(1, 50) && given?.serviceClass == .userInteractive)
    #expect(take(&admission, host: "a") == nil && admission.inFlight == 2)
    _ = admission.answered(photo(1, 50), .answered, now: late, jitter: 0)
    admission.ended(photo(1, 50), .filtered, now: late)
    let rest = numbers(&admission, 2, host: "a")
    #expect(rest.contains("1.1") || rest.contains("2.2"))
  }

  @Test func `a photo that waits for a connection makes room at once`() throws {
    var admission = try crowded()
    #expect(admission.makeRoom(movables(.needsConnection), now: .zero) == [photo(1, 1)])
  }

  @Test func `a focused photo gets the place of another one when the window is full for its user`()
    throws
  {
    var admission = Admission(window: 4, kept: 1)
    admission.add(ListID(1), ListLines(.default, owner: 1000), isPaused: false, now: .zero)
    #expect(numbers(&admission, 4) == ["1.1", "1.2", "1.3"])
    try admission.setFocus(viewer, [50], until: .seconds(60), now: .zero)
    #expect(take(&admission) == nil)
    let chain = Admission.Movable(photo(1, 3), admitted: .zero, .waits)
    #expect(admission.makeRoom([chain], now: .zero) == [photo(1, 3)])
    admission.ended(photo(1, 3), .stopped, now: .zero)
    #expect(numbers(&admission, 2) == ["1.50"])
  }

  @Test func `a photo makes room once, and comes back before new ones`() throws {
    var admission = admission([1000], window: 2)
    #expect(numbers(&admission, 3) == ["1.1", "1.2"])
    try admission.setFocus(viewer, [50, 51], until: .seconds(60), now: .zero)
    let all = [photo(1, 1), photo(1, 2)].enumerated().map {
      Admission.Movable($1, admitted: .seconds(Int64($0)), .transfers)
    }
    let chosen = admission.makeRoom(all, now: .seconds(9))
    #expect(chosen == [photo(1, 2), photo(1, 1)], "the youngest first")
    for photo in chosen { admission.ended(photo, .stopped, now: .seconds(9)) }
    #expect(numbers(&admission, 3) == ["1.50", "1.51"])
    for number: UInt32 in [50, 51] {
      admission.ended(photo(1, number), .filtered, now: .seconds(9))
    }
    #expect(numbers(&admission, 2) == ["1.2", "1.1"])
    try admission.setFocus(viewer, [60], until: .seconds(60), now: .seconds(10))
    #expect(admission.makeRoom(all, now: .seconds(20)).isEmpty)
  }

  @Test func `what waits makes room before what transfers, and the least urgent first`() throws {
    var admission = Admission(window: 3)
    let classes: [ServiceClass] = [.default, .background, .default]
    for (place, serviceClass) in classes.enumerated() {
      admission.add(
        ListID(UInt64(place + 1)), ListLines(serviceClass, owner: 1000), isPaused: false,
        now: .zero)
    }
    let taken = (0..<3).compactMap { _ in take(&admission)?.photo }
    #expect(taken == [photo(1, 1), photo(1, 2), photo(1, 3)])
    for number: UInt32 in 2...3 { admission.ended(photo(1, number), .filtered, now: .zero) }
    admission.pause(ListID(1), now: .zero)
    #expect(take(&admission)?.photo == photo(3, 1))
    admission.pause(ListID(3), now: .zero)
    #expect(take(&admission)?.photo == photo(2, 1))
    admission.resume(ListID(1), now: .zero)
    try admission.setFocus(viewer, [50, 51], until: .seconds(60), now: .zero)
    let movables = [
      Admission.Movable(photo(1, 1), admitted: .zero, .waits),
      Admission.Movable(photo(3, 1), admitted: .zero, .transfers),
      Admission.Movable(photo(2, 1), admitted: .zero, .transfers),
    ]
    #expect(admission.makeRoom(movables, now: .seconds(1)) == [photo(1, 1), photo(2, 1)])
  }

  @Test func `a focused transfer without a connection gets that of another photo of its owner`()
    throws
  {
    var admission = admission([1000, 2000])
    #expect(numbers(&admission, 2) == ["1.1", "2.1"])
    try admission.setFocus(viewer, [50], until: .seconds(60), now: .zero)
    #expect(numbers(&admission, 1) == ["1.50"])
    let movables =
      self.movables(.transfers) + [
        Admission.Movable(photo(1, 50), admitted: .zero, .needsConnection)
      ]
    #expect(admission.makeRoom(movables, now: .seconds(1)) == [photo(1, 1)])
    #expect(admission.makeRoom(movables, now: .seconds(2)).isEmpty)
  }
}
