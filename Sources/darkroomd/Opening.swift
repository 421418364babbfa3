// SPDX-License-Identifier: Apache-2.0
// The part of a start that needs disks: the lock, the record, the parts. While the disk of the state is full,
// read-only or fails, or another folder is not mounted, the daemon is up but accepts nothing: the service
// manager hears READY=1, so that no boot waits for it, the status line and the control socket tell the reason,
// and the start is tried again. A signal ends the start at once, also while a folder hangs. Raises `StartFailure` for
// everything else, and if only a new process can write.
// Concurrency: a task of the reactor; each try runs in the disk home, one at a time.

import Linux
import Report
import Vocabulary

struct Opening: Sendable {
  /// The parts that earlier tries have made; the next try goes on from there.
  struct Parts: Sendable {
    var lock: LinuxFile?
    var ground: Ground?

    static func keep<Part>(
      _ place: inout Part?, _ make: () throws(StartFailure) -> Part
    ) throws(StartFailure) -> Part {
      if let known = place { return known }
      let new = try make()
      place = new
      return new
    }
  }

  struct Made: Sendable {
    let lock: LinuxFile
    let ground: Ground
    let darkroom: Darkroom
  }

  /// The pauses between two tries, ten times as long as a try within these limits, since a try reads the whole
  /// journal file. `DiskRelief` ends a pause.
  private static let pauses = Duration.seconds(5)...Duration.seconds(60)

  let desk: FrontDesk
  let signals: Signals
  let status: ServiceStatus
  let reporter: Reporter
  /// The rooms of the folders that a start needs, by name.
  let rooms: @Sendable () -> [String: DiskRoom]
  /// The mount of the state folder.
  let mount: @Sendable () -> MountRights?
  var stale = StaleMount()
  let make: @Sendable (inout Parts) throws(StartFailure) -> Made

  /// Returns nil if a signal stopped the start.
  func run(
    from first: Parts = Parts(), on reactor: Reactor
  ) async throws(StartFailure) -> Made? {
    var parts = first
    var told: Failure?
    var relief = DiskRelief()
    var stale = stale
    while true {
      let begin = MachineTime().uptime()
      // The disks as they were before the try: they can be better by the time that it has failed.
      let look = await unlessStopped(on: reactor) { [parts] in
        var parts = parts
        let (rights, found) = (mount(), rooms())
        let result = Result { () throws(StartFailure) in try make(&parts) }
        return (rights, found, parts, result)
      }
      guard let (rights, found, kept, result) = look else { return nil }
      parts = kept
      if let rights { _ = stale.take(rights, at: begin) }
      _ = relief.take(found, at: begin)
      let failure: StartFailure
      switch result {
      case .success(let made):
        if let told { reporter.report(.machineRecovered(told, resumes: "the start continues")) }
        return made
      case .failure(let error): failure = error
      }
      guard let code = failure.trouble else { throw failure }
      let trouble = Failure(
        .machine, code: code, reason: failure.words,
        advice: failure.advice ?? Self.advice(code, stale))
      desk.wait(for: trouble)
      status.set("Waiting: \(trouble.reason). Nothing is accepted until it clears.")
      if told == nil { await onDisk { status.ready() } }
      if told?.code != code {
        reporter.report(.machineTrouble(trouble, waits: "nothing is accepted"))
        told = trouble
      }
      // Nothing is at work yet.
      let isReadOnly = code == Self.readOnly
      if isReadOnly, await isStale(&stale, on: reactor) { throw Self.stale }
      let last = MachineTime().uptime() - begin
      if await isStopped(on: reactor, after: last, unless: &relief, or: &stale, isReadOnly) {
        return nil
      }
    }
  }

  private static let readOnly = SystemError(.readOnly, call: "", thing: "").machineFailure.code

  /// The service manager starts the daemon again.
  private static let stale = StartFailure(
    ExitCode.io,
    "the disk of the state folder can be written, but not by this process, whose mounts were made while it was "
      + "read-only; ending, so that a new start sees the disk as it is")

  private static func advice(_ code: String, _ stale: StaleMount) -> String {
    switch code {
    case "disk.full": "Make room on it"
    case readOnly where stale.since != nil:
      "Its mount is read-only, its file system is not. Mount it writable again: mount -o remount,rw,bind"
        + (stale.patience == nil
          ? ""
          : ". The service starts again every two minutes to look; systemctl restart darkroom looks at once")
    case readOnly:
      "Mount it writable again: mount -o remount,rw"
    default: "Check the disk: dmesg, smartctl"
    }
  }

  private func isStale(_ stale: inout StaleMount, on reactor: Reactor) async -> Bool {
    let look = await unlessStopped(on: reactor) { mount() }
    return look.flatMap { $0 }.map { stale.take($0, at: MachineTime().uptime()) } ?? false
  }

  /// Waits for the next try; true if a signal asks for the end.
  private func isStopped(
    on reactor: Reactor, after last: Duration, unless relief: inout DiskRelief,
    or stale: inout StaleMount, _ isReadOnly: Bool
  ) async -> Bool {
    let pause = min(max(last * 10, Self.pauses.lowerBound), Self.pauses.upperBound)
    let due = MachineTime().uptime() + pause
    while true {
      let now = MachineTime().uptime()
      guard let found = await unlessStopped(on: reactor, rooms) else { return true }
      if now >= due || relief.take(found, at: now) { return false }
      if isReadOnly, await isStale(&stale, on: reactor) { return false }
      let ready = await reactor.ready(
        [Poll.Watch(signals.descriptor), Poll.Watch(desk.bell.descriptor)],
        for: min(DiskRelief.interval, due - now))
      if ready[1].isReadable { desk.bell.clear() }
      if isStopping() { return true }
      if ready[1].isReadable { return false }
    }
  }

  /// True if a signal has asked for the end.
  private func isStopping() -> Bool {
    while let signal = signals.next() {
      if signal != Signals.hangup { return true }
      desk.hangUp()
    }
    return false
  }

  private enum Outcome<Value: Sendable>: Sendable {
    case done(Value)
    case stopped
    /// The other one was first.
    case left
  }

  /// Nil if a signal asks for the end meanwhile. Work that hangs in a call to a disk is left behind then: it ends with the
  /// process, which is a crash to it.
  private func unlessStopped<Value: Sendable>(
    on reactor: Reactor, _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    await withTaskGroup(of: Outcome<Value>.self) { group in
      group.addTask { await lookOnDisk(work).map { .done($0) } ?? .left }
      group.addTask(executorPreference: reactor) {
        while !Task.isCancelled {
          if isStopping() { return .stopped }
          _ = await reactor.ready([Poll.Watch(signals.descriptor)])
        }
        return isStopping() ? .stopped : .left
      }
      var value: Value?
      for await outcome in group {
        group.cancelAll()
        switch outcome {
        case .done(let done): value = done
        case .stopped: return nil
        case .left: continue
        }
      }
      return value
    }
  }
}
