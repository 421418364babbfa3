// SPDX-License-Identifier: Apache-2.0
// The claims that run and those that wait. Several run at once, so that a long list does not delay the
// others. Files of the same list name, links to the same file, and long lists run one after another. A plain
// value.

internal import Vocabulary

struct ClaimQueue {
  enum Task: Equatable, Sendable {
    case attempt(Candidate, Proof)
    case reject(Candidate, Failure, Proof)

    var candidate: Candidate {
      switch self {
      case .attempt(let candidate, _), .reject(let candidate, _, _): candidate
      }
    }
  }

  static let mostLong = 1
  /// Lists larger than this are long.
  static let longest: UInt64 = 1 << 20

  private let most: Int
  private var waiting: [Task] = []
  private var running: [Candidate] = []

  init(most: Int) { self.most = most }

  var isEmpty: Bool { waiting.isEmpty && running.isEmpty }
  /// Running claims.
  var count: Int { running.count }

  mutating func add(_ task: Task) { waiting.append(task) }

  /// Takes the first task that may begin. `held` is the file being read ahead; its task waits.
  mutating func next(unless held: Candidate.Key?) -> Task? {
    guard running.count < most else { return nil }
    let longs = running.count { $0.isLong }
    let place = waiting.firstIndex { task in
      let candidate = task.candidate
      return candidate.key != held && !(candidate.isLong && longs >= Self.mostLong)
        && !running.contains { $0.excludes(candidate) }
    }
    guard let place else { return nil }
    let task = waiting.remove(at: place)
    running.append(task.candidate)
    return task
  }

  mutating func ended(_ candidate: Candidate) {
    if let place = running.firstIndex(where: { $0.key == candidate.key }) {
      running.remove(at: place)
    }
  }
}

extension Candidate {
  fileprivate var isLong: Bool { status.size > ClaimQueue.longest }

  /// The same name without the suffix, or the same inode.
  fileprivate func excludes(_ other: Candidate) -> Bool {
    ListName(name).stem == ListName(other.name).stem
      || (status.inode == other.status.inode && status.device == other.status.device)
  }
}
