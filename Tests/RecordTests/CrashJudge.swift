// SPDX-License-Identifier: Apache-2.0
// Judges a disk after a power cut: a start must find the acknowledged state, with or without the changes in
// flight, and every effect that a record promises.

import Record
import Support
import Vocabulary

struct CrashViolation: Error { let words: String }

struct CrashJudge {
  /// The acknowledged state.
  private(set) var model = Ledger()
  /// Changes in flight when the power or a call failed: each may be recorded or not.
  private(set) var uncertain: [Transition] = []
  /// The states that a start may find; empty until they are needed.
  private var allowed: [Ledger] = []

  mutating func doubt(_ transitions: [Transition]) {
    if transitions.isEmpty { return }
    uncertain += transitions
    allowed = []
  }

  /// Changes that failed before a segment was written again are gone for good.
  mutating func acknowledge(_ transitions: [Transition]) {
    if transitions.isEmpty { return }
    for transition in transitions { model.apply(transition) }
    uncertain = []
    allowed = []
  }

  /// A start has served this state.
  mutating func settle(_ ledger: Ledger) {
    model = ledger
    uncertain = []
    allowed = []
  }

  /// Starts on the disk; nil if the power fails again meanwhile.
  mutating func start(
    _ disk: SimulatedDisk, segmentBytes: UInt64
  ) throws(CrashViolation) -> JournalDesk? {
    let desk: JournalDesk
    do throws(Failure) {
      desk = try JournalDesk(disk, segmentBytes: segmentBytes)
    } catch {
      if disk.isPowerCut { return nil }
      throw CrashViolation(words: "refused: \(error)")
    }
    if !allows(desk.ledger) {
      throw CrashViolation(
        words: "\(desk.ledger.lists.count) lists, not what was acknowledged: \(model) and perhaps"
          + " \(uncertain), but \(desk.start.recovery)")
    }
    return desk
  }

  /// Folders of unrecorded lists raise the next number; nothing may lower it.
  private mutating func allows(_ ledger: Ledger) -> Bool {
    if isRaised(model, to: ledger) { return true }
    if allowed.isEmpty {
      allowed = (1..<(1 << uncertain.count)).map { choice in
        var ledger = model
        for (place, transition) in uncertain.enumerated() where choice & (1 << place) != 0 {
          ledger.apply(transition)
        }
        return ledger
      }.reversed()
    }
    return allowed.contains { isRaised($0, to: ledger) }
  }

  private func isRaised(_ candidate: Ledger, to ledger: Ledger) -> Bool {
    if candidate.nextList == ledger.nextList { return candidate == ledger }
    var candidate = candidate
    candidate.reserve(upTo: ListID(ledger.nextList.number - 1))
    return candidate == ledger
  }

  /// Checks the disk's originals and rows of results.
  func checkEffects(_ desk: JournalDesk) throws(CrashViolation) {
    do {
      let rows = ResultRows(lists: desk.start.lists)
      for entry in desk.ledger.openLists {
        for (number, contents) in entry.originals {
          let photo = PhotoID(list: entry.id, number: number)
          guard try CrashEffects.has(photo, contents, on: desk.disk) else {
            throw CrashViolation(words: "the original of \(photo) is torn")
          }
        }
        for number in 1..<(entry.acceptance.photos + 1) {
          let photo = PhotoID(list: entry.id, number: number)
          guard entry.state(of: number) == .known(.filtered) else { continue }
          if try rows.row(photo)?.state != .filtered {
            throw CrashViolation(words: "the result of \(photo) is missing")
          }
        }
      }
    } catch let violation as CrashViolation {
      throw violation
    } catch { throw CrashViolation(words: "an effect cannot be read: \(error)") }
  }
}

/// The state of the disk after the changes of a simulation.
enum CrashEffects {
  private static let root = FileName(literal: "originals")

  static func of(_ change: Change, on disk: SimulatedDisk) -> [Effect] {
    switch change {
    case .downloaded(let photo, let contents):
      guard let folder = try? disk.rootFolder.folder(root, creating: true) else { return [.none] }
      let temporary = name(photo, contents, ".part")
      guard let file = try? folder.open(temporary, .ensure),
        (try? file.write(body(contents), at: 0)) != nil
      else { return [.none] }
      return [
        .appear(file, in: folder, temporary: temporary, as: name(photo, contents, "")),
        .syncFolder(disk.rootFolder),
      ]
    case .filtered(let photo, let contents):
      let row = ResultRow(photo: photo.number, state: .filtered, bytes: contents.size)
      return [.row(photo.list, row), .syncFolder(disk.rootFolder)]
    default: return []
    }
  }

  static func has(_ photo: PhotoID, _ contents: Contents, on disk: SimulatedDisk) throws -> Bool {
    let folder = try disk.rootFolder.folder(root, creating: false)
    let bytes = try folder.open(name(photo, contents, ""), .read).read(at: 0, upTo: 1000)
    return bytes == body(contents)
  }

  private static func name(_ photo: PhotoID, _ contents: Contents, _ ending: String) -> FileName {
    FileName("\(photo.list)-\(photo.number)-\(contents.hash)\(ending)") ?? root
  }

  private static func body(_ contents: Contents) -> [UInt8] {
    (0..<700).map { UInt8(truncatingIfNeeded: contents.hash >> UInt64($0 % 57)) }
  }
}

extension Effect {
  /// An effect whose work failed before it reached the recorder.
  static var none: Effect { .sync(FailedFile()) }
}

final class FailedFile: OpenFile {
  private static let error = SystemError(code: 5, call: "write", thing: "a failed file")
  var descriptor: Int32 { -1 }
  func status() throws(SystemError) -> FileStatus { throw Self.error }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] { throw Self.error }
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) { throw Self.error }
  func truncate(to size: UInt64) throws(SystemError) { throw Self.error }
  func reserve(_ size: UInt64) throws(SystemError) { throw Self.error }
  func sync() throws(SystemError) { throw Self.error }
}
