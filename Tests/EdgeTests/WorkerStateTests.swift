// SPDX-License-Identifier: Apache-2.0
// The pool's decisions as a value: no process, no clock.

import Linux
import Testing
import Vocabulary

@testable import Worker

struct WorkerStateTests {
  private typealias Action = PoolState.Action
  private typealias Event = PoolState.Event

  private static func state(width: Int) -> PoolState {
    PoolState(settings: WorkerSettings(path: "/worker", width: width))
  }

  /// Without an owner: to read lists of the first one.
  private static func options(owner: UInt32?) -> WorkerOptions {
    WorkerOptions(owner: owner ?? 1, readsLists: owner == nil, nice: 5, memory: 1, output: 1)
  }

  private static func order(
    owner: UInt32? = 1, _ serviceClass: ServiceClass = .default
  ) -> PoolOrder {
    PoolOrder(options: options(owner: owner), serviceClass: serviceClass, timeout: .seconds(10))
  }

  private static let done = JobAnswer.success(.listRead)

  private static func sent(_ job: JobNumber, to worker: WorkerNumber) -> Action {
    .send(job, to: worker, timeout: .seconds(10))
  }

  /// Feeds events a second apart, from second 1 on; returns the actions of each.
  private func feed(_ state: inout PoolState, _ events: [Event]) -> [[Action]] {
    events.enumerated().map { state.handle($1, at: .seconds($0 + 1)) }
  }

  /// A pool with one worker, which is working on job 1.
  private func busy(width: Int = 1, _ first: PoolOrder = order()) -> PoolState {
    var state = Self.state(width: width)
    _ = feed(&state, [.ordered(1, first), .ready(1, .all)])
    return state
  }

  @Test func `a foreseen worker is ready when its list comes, and there is only one`() {
    var state = Self.state(width: 2)
    let actions = feed(
      &state,
      [
        .foreseen(Self.options(owner: nil)), .foreseen(Self.options(owner: nil)), .ready(1, .all),
        .foreseen(Self.options(owner: nil)), .ordered(1, Self.order(owner: nil)),
        .answered(1, 1, Self.done),
      ])
    #expect(
      actions == [
        [.start(1, Self.options(owner: nil))], [], [.tell(.sandbox(.all))], [],
        [Self.sent(1, to: 1)], [.finish(1, Self.done)],
      ])
  }

  @Test func `a list that comes before its foreseen worker is ready waits for it`() {
    var state = Self.state(width: 2)
    let actions = feed(
      &state,
      [
        .foreseen(Self.options(owner: nil)), .ordered(1, Self.order(owner: nil)), .ready(1, .all),
      ])
    #expect(
      actions == [
        [.start(1, Self.options(owner: nil))], [], [.tell(.sandbox(.all)), Self.sent(1, to: 1)],
      ])
  }

  /// A pool of one place, whose worker of user 1 is idle beside the place for as many spares.
  private func pool(spares: Int, most: Int = 9) -> PoolState {
    var settings = WorkerSettings(path: "/worker", width: 1)
    settings.spares = spares
    settings.most = most
    var state = PoolState(settings: settings)
    _ = feed(&state, [.ordered(1, Self.order()), .ready(1, .all), .answered(1, 1, Self.done)])
    return state
  }

  @Test func `users who take turns find their workers again, and one photo is filtered at once`() {
    var state = pool(spares: 1)
    let actions = feed(
      &state,
      [
        .ordered(2, Self.order(owner: 2)), .ready(2, .all), .ordered(3, Self.order()),
        .answered(2, 2, Self.done), .ordered(4, Self.order(owner: 2)), .answered(1, 3, Self.done),
      ])
    #expect(
      actions == [
        [.start(2, Self.options(owner: 2))], [Self.sent(2, to: 2)], [],
        [.finish(2, Self.done), Self.sent(3, to: 1)], [],
        [.finish(3, Self.done), Self.sent(4, to: 2)],
      ])
  }

  @Test func `a photo that is more urgent than one that is filtered does not wait for it`() {
    var state = pool(spares: 1)
    let urgent = Self.order(owner: 2, .userInteractive)
    let actions = feed(
      &state,
      [
        .ordered(8, Self.order(owner: 1, .background)), .ordered(9, urgent), .ready(2, .all),
        .ordered(10, urgent), .answered(2, 9, Self.done),
        .ordered(11, Self.order(owner: 1, .background)), .answered(2, 10, Self.done),
      ])
    #expect(
      actions == [
        [Self.sent(8, to: 1)], [.start(2, Self.options(owner: 2))], [Self.sent(9, to: 2)],
        [], [.finish(9, Self.done), Self.sent(10, to: 2)], [], [.finish(10, Self.done)],
      ])
    var same = pool(spares: 1)
    #expect(
      feed(&same, [.ordered(8, Self.order()), .ordered(9, Self.order(owner: 2))]).last == [])
  }

  @Test func `where no spare worker may be added, the one that has waited longest makes room`() {
    var state = pool(spares: 1)
    let actions = feed(
      &state,
      [
        .ordered(2, Self.order(owner: 2)), .ready(2, .all), .answered(2, 2, Self.done),
        .ordered(3, Self.order()), .answered(1, 3, Self.done), .ordered(4, Self.order(owner: 3)),
        .exited(2, .killed),
      ])
    #expect(actions[5] == [.kill(2)] && actions[6] == [.start(3, Self.options(owner: 3))])
  }

  @Test func `where files are few, no worker without work stays`() {
    var state = pool(spares: 1, most: 1)
    #expect(feed(&state, [.ordered(2, Self.order(owner: 2))]) == [[.kill(1)]])
  }

  @Test func `while memory is short, no worker without work stays`() {
    var state = pool(spares: 1)
    _ = feed(&state, [.ordered(2, Self.order(owner: 2)), .ready(2, .all), .starved(2)])
    #expect(
      feed(&state, [.ordered(3, Self.order(owner: 3)), .exited(1, .killed)])
        == [[.kill(1)], [.start(3, Self.options(owner: 3))]])
  }

  @Test func `one reader has a place of its own; another makes room for a photo`() {
    var state = Self.state(width: 1)
    let others = WorkerOptions(owner: 2, readsLists: true, nice: 5, memory: 1, output: 1)
    let actions = feed(
      &state,
      [
        .foreseen(Self.options(owner: nil)), .foreseen(others), .ordered(1, Self.order()),
        .exited(1, .signal(9)),
      ])
    #expect(
      actions == [
        [.start(1, Self.options(owner: nil))], [.start(2, others)], [.kill(1)],
        [.start(3, Self.options(owner: 1))],
      ])
    #expect(state.workers.map(\.number) == [2, 3])
    // While memory is short, readers have no place of their own.
    var short = busy()
    _ = short.handle(.starved(1), at: .seconds(2))
    _ = short.handle(.ordered(2, Self.order()), at: .seconds(2))
    #expect(short.handle(.foreseen(others), at: .seconds(3)) == [])
  }

  @Test
  func `a list waits a moment for the reader of its user before a worker for photos ends for it`() {
    var state = Self.state(width: 1)
    let list = Self.order(owner: nil)
    _ = feed(
      &state,
      [
        .ordered(1, list), .ready(1, .all), .ordered(2, Self.order()), .ready(2, .all),
        .answered(2, 2, Self.done),
      ])
    let patience = state.settings.readerPatience
    let now = Duration.seconds(5)
    #expect(state.handle(.ordered(3, list), at: now).isEmpty)
    #expect(state.nextDeadline == now + patience)
    var quick = state
    #expect(
      quick.handle(.answered(1, 1, Self.done), at: now + patience / 2)
        == [.finish(1, Self.done), Self.sent(3, to: 1)])
    #expect(state.handle(.timePassed([:]), at: now + patience) == [.kill(2)])
    #expect(state.nextDeadline.map { $0 > now + patience } == true)
  }

  @Test func `a hundred lists of one user start one reader beside the photos`() {
    var state = Self.state(width: 2)
    var starts = 0
    func count(_ actions: [Action]) {
      starts += actions.count { if case .start = $0 { true } else { false } }
    }
    for job in 1...2 as ClosedRange<JobNumber> {
      count(state.handle(.ordered(job, Self.order()), at: .seconds(1)))
      _ = state.handle(.ready(job, .all), at: .seconds(1))
    }
    count(state.handle(.foreseen(Self.options(owner: nil)), at: .seconds(1)))
    _ = state.handle(.ready(3, .all), at: .seconds(1))
    // Two lists at a time, while the worker of the first photo has pauses.
    var photo: JobNumber = 1
    for list in stride(from: 100 as JobNumber, to: 300, by: 2) {
      let now = Duration.seconds(1) + .milliseconds(Int64(list))
      for job in [list, list + 1] {
        count(state.handle(.ordered(job, Self.order(owner: nil)), at: now))
      }
      count(state.handle(.answered(1, photo, Self.done), at: now))
      photo = list + 1000
      count(state.handle(.answered(3, list, Self.done), at: now))
      count(state.handle(.ordered(photo, Self.order()), at: now))
      count(state.handle(.answered(3, list + 1, Self.done), at: now))
    }
    #expect(starts == 3 && state.workers.map(\.number) == [1, 2, 3])
  }

  @Test func `a foreseen worker is ended if no list comes`() {
    var alone = Self.state(width: 1)
    _ = feed(&alone, [.foreseen(Self.options(owner: nil)), .ready(1, .all)])
    #expect(alone.nextDeadline == .seconds(4))
    #expect(alone.handle(.timePassed([:]), at: .seconds(4)) == [.kill(1)])
    // If every place is taken, no worker is started in advance.
    var full = busy()
    let others = WorkerOptions(owner: 2, readsLists: true, nice: 5, memory: 1, output: 1)
    #expect(full.handle(.foreseen(others), at: .seconds(9)) == [.start(2, others)])
    #expect(full.handle(.foreseen(Self.options(owner: nil)), at: .seconds(9)) == [])
  }

  @Test func `a worker is started, reported once it is ready, and kept for the next photo`() {
    var state = Self.state(width: 1)
    let actions = feed(
      &state,
      [
        .ordered(1, Self.order()), .ready(1, .all), .answered(1, 1, Self.done),
        .ordered(2, Self.order()),
      ])
    #expect(
      actions == [
        [.start(1, Self.options(owner: 1))], [.tell(.sandbox(.all)), Self.sent(1, to: 1)],
        [.finish(1, Self.done)], [Self.sent(2, to: 1)],
      ])
  }

  @Test func `the most urgent photo goes first, and within a class the oldest`() {
    var state = busy()
    let classes: [ServiceClass] = [.background, .default, .userInteractive, .default, .utility]
    for (place, serviceClass) in classes.enumerated() {
      #expect(state.handle(.ordered(UInt64(place + 2), Self.order(serviceClass)), at: .zero) == [])
    }
    var sent: [JobNumber] = []
    var running: JobNumber = 1
    for _ in classes {
      for action in state.handle(.answered(1, running, Self.done), at: .seconds(3)) {
        if case .send(let job, to: 1, _) = action { running = job }
      }
      sent.append(running)
    }
    #expect(sent == [4, 3, 5, 6, 2])
  }

  private static func order(_ serviceClass: ServiceClass) -> PoolOrder {
    order(owner: 1, serviceClass)
  }

  @Test func `an idle worker of another user makes room, and its place is free when it is gone`() {
    var state = busy()
    let actions = feed(
      &state,
      [.answered(1, 1, Self.done), .ordered(2, Self.order(owner: 2)), .exited(1, .signal(9))])
    #expect(actions == [[.finish(1, Self.done)], [.kill(1)], [.start(2, Self.options(owner: 2))]])
  }

  @Test func `there are never more workers than places`() {
    var state = Self.state(width: 2)
    for job: UInt32 in 1...20 {
      _ = state.handle(.ordered(UInt64(job), Self.order(owner: job)), at: .zero)
    }
    #expect(state.workers.count == 2)
    #expect(state.waiting.count == 18)
  }

  @Test func `a worker that has read a list is kept for the next list of its user`() {
    var state = busy(Self.order(owner: nil))
    let actions = feed(
      &state, [.answered(1, 1, Self.done), .ordered(2, Self.order(owner: nil))])
    #expect(actions == [[.finish(1, Self.done)], [Self.sent(2, to: 1)]])
  }

  @Test func `an idle worker is ended after its time, and then nothing is due`() {
    var state = busy()
    _ = state.handle(.answered(1, 1, Self.done), at: .seconds(5))
    #expect(state.nextDeadline == .seconds(7))
    #expect(state.handle(.timePassed([:]), at: .seconds(6)) == [])
    #expect(state.handle(.timePassed([:]), at: .seconds(7)) == [.kill(1)])
    #expect(state.nextDeadline == nil)
    #expect(state.handle(.exited(1, .signal(9)), at: .seconds(8)) == [])
    #expect(state.workers.isEmpty)
  }

  /// Events after which job 1 has ended with this code and its worker must be gone.
  private static let ends: [(String, [Event], String)] = [
    ("idle", [.timePassed([:])], "worker.idle"),
    ("late", [.timePassed([1: .seconds(10)])], "worker.timeout"),
    ("dead", [.exited(1, .signal(11))], "worker.died"),
    ("out of processor time", [.exited(1, .signal(24))], "worker.timeout"),
    ("hung up, then dead", [.hungUp(1), .exited(1, .signal(11))], "worker.died"),
    ("hung up and alive", [.hungUp(1), .timePassed([:])], "worker.died"),
    ("babbling", [.babbled(1)], "worker.answer"),
    ("answering what was not asked", [.answered(1, 7, done)], "worker.answer"),
    ("ready twice", [.ready(1, .all)], "worker.answer"),
    (
      "not to be sent to", [.notSent(1, SystemError(.noBuffers, call: "sendmsg", thing: ""))],
      "worker.socket"
    ),
    (
      "not reading", [.notSent(1, SystemError(.again, call: "sendmsg", thing: ""))], "worker.socket"
    ),
    (
      "not to be heard", [.notHeard(1, SystemError(.outOfMemory, call: "recvmsg", thing: ""))],
      "worker.socket"
    ),
    (
      "dead before the request",
      [.notSent(1, SystemError(.brokenPipe, call: "sendmsg", thing: "")), .exited(1, .signal(11))],
      "worker.died"
    ),
    ("killed by someone", [.exited(1, .killed)], "worker.killed"),
    ("hung up, then killed", [.hungUp(1), .exited(1, .killed)], "worker.killed"),
    ("killed for memory", [.starved(1)], "worker.memory"),
    ("hung up, then killed for memory", [.hungUp(1), .starved(1)], "worker.memory"),
    ("called off", [.cancelled(1)], "cancelled"), ("shut down", [.ended], "cancelled"),
  ]

  @Test func `a kernel that does not tell its kills is blamed with a doubt`() {
    var state = busy(Self.order())
    let reasons = state.handle(.starved(1, isTold: false), at: .seconds(1)).compactMap { action in
      if case .finish(1, .failure(let failure)) = action { failure.reason } else { nil }
    }
    #expect(
      reasons == ["the worker was killed, probably by the kernel because memory ran out"])
  }

  @Test(arguments: [Event.timePassed([1: .seconds(10)]), .exited(1, .signal(24))])
  private func `the advice after a time-out fits a list or a picture`(event: Event) {
    for (owner, advice) in [
      (nil, "Split the list"), (1, "Raise Timeout= under [Filter] if the picture is worth it"),
    ] as [(UInt32?, String)] {
      var state = busy(Self.order(owner: owner))
      var found: [String] = []
      for action in state.handle(event, at: .seconds(1000)) {
        if case .finish(1, .failure(let failure)) = action { found.append(failure.advice) }
      }
      #expect(found == [advice])
    }
  }

  /// Workers with requests 1, 2 and 3.
  private func three() -> PoolState {
    var state = Self.state(width: 3)
    for job in UInt64(1)...3 {
      _ = feed(&state, [.ordered(job, Self.order()), .ready(job, .all)])
    }
    return state
  }

  @Test func `trouble of this machine with a worker is not the picture's`() {
    let events: [Event] = [
      .starved(1), .notSent(1, SystemError(.noBuffers, call: "sendmsg", thing: "")),
      .notHeard(1, SystemError(.outOfMemory, call: "recvmsg", thing: "")),
    ]
    for event in events {
      var state = busy()
      let kinds = state.handle(event, at: .seconds(3)).compactMap { action -> Failure.Kind? in
        if case .finish(_, .failure(let failure)) = action { failure.kind } else { nil }
      }
      #expect(kinds == [.machine], "\(event)")
    }
  }

  @Test func `after a kill for memory fewer workers run at once`() {
    var state = three()
    _ = state.handle(.starved(3), at: .seconds(1))
    #expect(state.places == 2)
    // A place is free, and a request waits for one of the two others.
    #expect(state.handle(.ordered(4, Self.order()), at: .seconds(2)).isEmpty)
    #expect(
      state.handle(.answered(1, 1, Self.done), at: .seconds(3))
        == [.finish(1, Self.done), Self.sent(4, to: 1)])
    _ = state.handle(.starved(2), at: .seconds(4))
    #expect(state.places == 1)
    _ = state.handle(.starved(1), at: .seconds(5))
    #expect(state.places == 1)
    // Its successor is the only one.
    let last = feed(&state, [.ordered(5, Self.order()), .ordered(6, Self.order())])
    #expect(last == [[.start(4, Self.options(owner: 1))], []])
  }

  @Test func `more workers run again as they answer`() {
    var state = three()
    _ = state.handle(.starved(3), at: .seconds(1))
    _ = state.handle(.starved(2), at: .seconds(1))
    _ = state.handle(.answered(1, 1, Self.done), at: .seconds(1))
    var places: [Int] = []
    for job in UInt64(4)..<UInt64(4 + 2 * MemoryLimit.answersForOneMore) {
      _ = state.handle(.ordered(job, Self.order()), at: .seconds(2))
      _ = state.handle(.answered(1, job, Self.done), at: .seconds(2))
      if places.last != state.places { places.append(state.places) }
    }
    #expect(places == [1, 2, 3])
    #expect(state.memory == MemoryLimit())
  }

  @Test func `a worker that the pool kills says nothing about memory`() {
    var state = three()
    _ = state.handle(.cancelled(2), at: .seconds(1))
    #expect(state.handle(.starved(2), at: .seconds(2)).isEmpty)
    #expect(state.places == 3)
  }

  @Test func `however a worker fails, its photo ends once and its place becomes free`() {
    for (name, events, code) in Self.ends {
      var state = busy()
      var finished: [String] = []
      var kills = 0
      for event in events + [.exited(1, .signal(11)), .exited(1, .signal(11))] {
        for action in state.handle(event, at: .seconds(12)) {
          if case .finish(1, .failure(let failure)) = action { finished.append(failure.code) }
          if case .kill = action { kills += 1 }
        }
      }
      #expect(finished == [code], "\(name)")
      #expect(kills <= 1, "\(name)")
      #expect(state.workers.isEmpty && state.orders.isEmpty, "\(name)")
    }
  }

  @Test func `a worker that dies before it is ready counts as not started`() {
    var state = Self.state(width: 1)
    let actions = feed(&state, [.ordered(1, Self.order()), .exited(1, .code(127))])
    guard case .finish(1, .failure(let failure)) = actions[1].last else {
      Issue.record("not finished: \(actions)")
      return
    }
    #expect(failure.code == "worker.start")
    #expect(failure.kind == .machine)
  }

  @Test func `a worker that cannot be started fails its own photo, and the next one is tried`() {
    var state = Self.state(width: 1)
    let error = SystemError(code: 11, call: "posix_spawn", thing: "/worker")
    let actions = feed(
      &state, [.ordered(1, Self.order()), .ordered(2, Self.order()), .notStarted(1, error)])
    #expect(
      actions[2] == [
        .finish(1, .failure(PoolState.start(error))), .start(2, Self.options(owner: 1)),
      ])
  }

  @Test(
    arguments: [
      (11, "TasksMax="), (12, "MemoryMax="), (24, "LimitNOFILE="), (23, "fs.file-max"),
      (2, "is installed"), (13, "is executable"),
    ] as [(Int32, String)])
  func `the advice for a worker that cannot be started names what has to change`(
    code: Int32, advice: String
  ) {
    let failure = PoolState.start(SystemError(code: code, call: "posix_spawn", thing: "/worker"))
    #expect(failure.kind == .machine && failure.code == "worker.start")
    #expect(failure.advice.contains(advice), "\(failure.advice)")
    #expect(failure.advice.contains("installed") == (code == 2 || code == 13))
  }

  @Test func `cancelling a waiting photo touches no worker`() {
    var state = busy()
    let actions = feed(&state, [.ordered(2, Self.order()), .cancelled(2), .cancelled(2)])
    #expect(actions == [[], [.finish(2, .failure(.cancelled))], []])
  }

  @Test func `when the pool shrinks, a worker is ended once it is done`() {
    var state = busy(width: 2)
    _ = feed(&state, [.ordered(2, Self.order(owner: 2)), .ready(2, .all), .resized(1)])
    #expect(
      state.handle(.answered(2, 2, Self.done), at: .zero) == [.kill(2), .finish(2, Self.done)])
    #expect(state.handle(.answered(1, 1, Self.done), at: .zero).contains(.finish(1, Self.done)))
  }

  @Test func `after the end nothing is started, and the last worker ends the pool`() {
    var state = busy()
    #expect(
      feed(&state, [.ended, .ordered(2, Self.order()), .exited(1, .signal(9))]) == [
        [.kill(1), .finish(1, .failure(.cancelled))], [.finish(2, .failure(.cancelled))], [],
      ])
    #expect(state.isOver)
  }
}
