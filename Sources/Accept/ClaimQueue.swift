// SPDX-License-Identifier: Apache-2.0
// The claims that run and those that wait. Several run at once, so that a long list does not delay the
// others. Lists of the same name and its retry list, links to the same file, long lists, and rolls run one
// after another. A plain value.

internal import Vocabulary

struct ClaimQueue {
  enum Task: Equatable, Sendable {
    case attempt(Candidate, Proof)
    case reject(Candidate, Failure, Proof)
    /// A list of this name, without its ending, that repeats an earlier one.
    case again(RepeatOrder, stem: [UInt8])
    /// The lists of pictures that have not left the inbox yet.
    case finishRolls

    /// The file; nil for a task without one.
    var candidate: Candidate? {
      switch self {
      case .attempt(let candidate, _), .reject(let candidate, _, _): candidate
      case .again, .finishRolls: nil
      }
    }
  }

  static let mostLong = 1
  /// Lists larger than this are long.
  static let longest: UInt64 = 1 << 20

  private let most: Int
  private var waiting: [Task] = []
  private var running: [Task] = []

  init(most: Int) { self.most = most }

  var isEmpty: Bool { waiting.isEmpty && running.isEmpty }
  /// Running claims.
  var count: Int { running.count }

  /// A task for pictures runs or waits.
  var hasRoll: Bool { (running + waiting).contains { $0.isRoll } }

  mutating func add(_ task: Task) { waiting.append(task) }

  /// Takes the first task that may begin. `held` is the file being read ahead; its task waits.
  mutating func next(unless held: Candidate.Key?) -> Task? {
    guard running.count < most else { return nil }
    let longs = running.count { $0.isLong }
    let place = waiting.firstIndex { task in
      (held == nil || task.candidate?.key != held) && !(task.isLong && longs >= Self.mostLong)
        && !running.contains { $0.excludes(task) }
    }
    guard let place else { return nil }
    let task = waiting.remove(at: place)
    running.append(task)
    return task
  }

  mutating func ended(_ task: Task) {
    if let place = running.firstIndex(where: { $0.isSame(as: task) }) { running.remove(at: place) }
  }
}

extension ClaimQueue.Task {
  fileprivate var isRoll: Bool { candidate?.isRoll ?? (self == .finishRolls) }

  fileprivate var isLong: Bool {
    !isRoll && candidate.map { $0.status.size > ClaimQueue.longest } ?? false
  }

  /// Of the lists that it may become.
  private var stems: [ArraySlice<UInt8>] {
    switch self {
    case .attempt(let candidate, _), .reject(let candidate, _, _):
      let name = ListName(candidate.name)
      return [name.stem] + name.continued
    case .again(_, let stem): return [stem[...]]
    case .finishRolls: return []
    }
  }

  /// The same name without the suffix, or the same inode; two rolls.
  fileprivate func excludes(_ other: Self) -> Bool {
    if isRoll && other.isRoll || stems.contains(where: other.stems.contains) { return true }
    guard let own = candidate?.status, let status = other.candidate?.status else { return false }
    return own.inode == status.inode && own.device == status.device
  }

  /// A file's status may have changed since its task began.
  fileprivate func isSame(as other: Self) -> Bool {
    if candidate == nil || other.candidate == nil { return self == other }
    return candidate?.key == other.candidate?.key
  }
}
