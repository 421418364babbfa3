// SPDX-License-Identifier: Apache-2.0
// Works off the orders for hooks, one at a time, their users in turn, of each user the oldest first: runs the program of
// the settings, reports a failure once, and removes the order. Promises: a hook costs a warning at most; an order is removed after its
// program has run, so a crash in between runs it again. Trouble of this machine waits and is tried again. Raises
// nothing.
// Concurrency: belongs to one thread, which waits for programs and disks.

import Linux
import Report
import Return
import Vocabulary

struct HookRunner {
  /// The whole environment beside the facts.
  static let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
  private static let pause = Duration.seconds(5)

  let outbox: HookOutbox
  let settings: @Sendable () throws(Failure) -> Settings.Hooks
  let reporter: Reporter
  let health: HealthBoard
  /// Rings after each order.
  let changes: ChangeSignal
  let places: Places
  /// Its program has run, but the order could not be removed.
  private var spent: HookOrder.Key?
  private var turns = OwnerPlaces(most: 1)

  init(
    _ outbox: HookOutbox, in places: Places, reporter: Reporter, health: HealthBoard,
    changes: ChangeSignal,
    settings: @escaping @Sendable () throws(Failure) -> Settings.Hooks
  ) {
    self.outbox = outbox
    self.places = places
    self.reporter = reporter
    self.health = health
    self.changes = changes
    self.settings = settings
  }

  // MARK: the loop

  private enum Pass { case stopped, troubled, done(orders: Int) }

  /// Runs until `stop` is readable, which kills the running program and keeps its order; or, with `linger`, until
  /// no order has come for that time. `bell` rings after a new order.
  mutating func run(until stop: Int32, bell: WakeEvent? = nil, linger: Duration? = nil) {
    var isQuiet = false
    while true {
      bell?.clear()
      var rest: Duration? = Self.pause
      switch pass(until: stop) {
      case .stopped: return
      case .troubled: isQuiet = false
      case .done(let orders):
        if isQuiet, orders == 0 { return }
        isQuiet = linger != nil
        rest = linger
      }
      let watches = [Poll.Watch(stop)] + (bell.map { [Poll.Watch($0.descriptor)] } ?? [])
      let found = try? Poll.wait(watches, for: rest)
      if found?.first?.isReady == true { return }
    }
  }

  private mutating func pass(until stop: Int32) -> Pass {
    var orders = 0
    do throws(Failure) {
      try hideStrangers()
      while true {
        let keys = try asMachine { () throws(SystemError) in try outbox.keys() }
        if keys.isEmpty { break }
        guard let seat = try takeSeat() else { return .troubled }
        defer { withExtendedLifetime(seat) {} }
        for key in nextRound(of: keys) {
          guard try perform(key, try settings(), until: stop) else { return .stopped }
          orders += 1
          changes.changed()
        }
      }
      health.set(nil, for: .hooks)
      return .done(orders: orders)
    } catch {
      health.set(error, for: .hooks)
      return .troubled
    }
  }

  /// One order of each user, because others may have come when these are done.
  private mutating func nextRound(of keys: [HookOrder.Key]) -> [HookOrder.Key] {
    // Else its program would run again later.
    if let spent, keys.contains(spent) { return [spent] }
    let owners = outbox.owners(of: keys)
    var firsts: [UInt32: HookOrder.Key] = [:]
    for key in keys where firsts[owners[key] ?? 0] == nil { firsts[owners[key] ?? 0] = key }
    let round = firsts.sorted { one, other in
      (turns.turn(of: one.key), one.value) < (turns.turn(of: other.key), other.value)
    }
    for (owner, _) in round {
      turns.take(for: owner)
      turns.leave(by: owner)
    }
    return round.map(\.value)
  }

  /// A folder that still has one starts darkroom-hooks.service again and again, so this is tried until it works.
  private func hideStrangers() throws(Failure) {
    for name in try asMachine({ () throws(SystemError) in try outbox.hideStrangers() }) {
      let failure = Failure(
        .final, code: "hook.stranger",
        reason: "the file '\(name)' in the folder of the orders for hooks is not an order")
      reporter.report(.machineTrouble(failure, waits: "its name has a leading dot now"))
    }
  }

  /// Only while there are orders: an idle daemon holds no lock open. Nil while another process has it.
  private func takeSeat() throws(Failure) -> HookSeat? {
    do throws(SystemError) { return try HookSeat(places) } catch {
      if error.name == .again { return nil }
      throw error.machineFailure
    }
  }

  // MARK: an order

  /// False if it was stopped, and the order stays.
  private mutating func perform(
    _ key: HookOrder.Key, _ settings: Settings.Hooks, until stop: Int32
  ) throws(Failure) -> Bool {
    if spent != key {
      let order: HookOrder?
      do throws(Failure) { order = try outbox.order(key) } catch {
        guard error.kind == .final else { throw error }
        tell(settings.program(for: key.event) ?? "-", HookOrder(key), [], error)
        try asMachine { () throws(SystemError) in try outbox.setAside(key) }
        return true
      }
      // An order for which no program is set now is only removed.
      if let order, let program = settings.program(for: key.event) {
        guard try run(program, order, settings, until: stop) else { return false }
      }
      spent = key
    }
    try asMachine { () throws(SystemError) in try outbox.remove(key) }
    spent = nil
    return true
  }

  private func run(
    _ program: String, _ order: HookOrder, _ settings: Settings.Hooks, until stop: Int32
  ) throws(Failure) -> Bool {
    let outcome: OutsideProgram.Outcome
    do throws(SystemError) {
      outcome = try OutsideProgram.run(
        program, variables: [Array(Self.path.utf8)] + order.environment, for: settings.timeout,
        until: stop)
    } catch {
      // The limit on processes is reached, or the program is just being replaced.
      if error.isMachineTrouble || error.name == .again || error.name == .textBusy {
        let failure = error.machineFailure
        throw Failure(
          failure.kind, scope: failure.scope, code: failure.code, reason: failure.reason,
          advice: error.limitAdvice ?? "")
      }
      tell(program, order, [], code: "hook.start", "it cannot be executed: \(error.words)")
      return true
    }
    switch outcome.end {
    case .stopped: return false
    case .ended(.code(0)): break
    case .ended(let status):
      tell(program, order, outcome.output, code: "hook.failed", "it \(status.words)")
    case .tooLong:
      tell(
        program, order, outcome.output, code: "hook.timeout",
        "it did not end within \(settings.timeout.spoken)")
    }
    return true
  }

  private func tell(
    _ program: String, _ order: HookOrder, _ output: [UInt8], code: String, _ reason: String
  ) {
    tell(program, order, output, Failure(.final, code: code, reason: reason))
  }

  private func tell(
    _ program: String, _ order: HookOrder, _ output: [UInt8], _ failure: Failure
  ) {
    reporter.report(
      .hookFailed(
        HookFacts(
          program, event: order.key.event.rawValue, list: order.key.list,
          listName: order.listName, output: output),
        failure))
  }
}
