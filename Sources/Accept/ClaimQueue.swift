// SPDX-License-Identifier: Apache-2.0
// The claims that run and those that wait. Several run at once, so that a long list does not delay the
// others. Owners take turns, so that a user's file waits for one file of another user and not for all. Lists
// of the same name and its retry list, lists that would print into the same folder, links to the same file, the long
// lists of an owner, and the rolls of an owner run one after another. Rolls have separate places. A roll takes as long
// as its pictures are large, and delays neither a list nor a roll of another owner, whatever its name: such lists take
// turns only where their folders get their names (`NameTurns`). A plain value.

internal import Vocabulary

struct ClaimQueue {
  enum Task: Equatable, Sendable {
    case attempt(Candidate, Proof)
    case reject(Candidate, Failure, Proof)
    /// A list of this name, without its ending, that repeats an earlier one.
    case again(RepeatOrder, stem: [UInt8])
    /// The user's lists of pictures that have not left the inbox yet.
    case finishRolls(of: UInt32)

    /// The file; nil for a task without one.
    var candidate: Candidate? {
      switch self {
      case .attempt(let candidate, _), .reject(let candidate, _, _): candidate
      case .again, .finishRolls: nil
      }
    }
  }

  /// Of all owners; each has one. Fewer if that leaves no place to short lists.
  private static let mostLong = 2
  /// Lists larger than this are long.
  static let longest: UInt64 = 1 << 20
  /// The places of rolls, of which long ones take half at most.
  static let mostRolls = 4
  /// Rolls with more bytes than this are long.
  static let longestRoll: UInt64 = 1 << 30

  /// The places of lists.
  private let most: Int
  /// Equal for names whose lists would print into the same folder.
  private let folderKey: (ListName) -> String
  /// The tasks of each owner, the first to come first. None is empty.
  private var waiting: [Entry.Owner: [Entry]] = [:]
  /// Owners with waiting tasks; the one whose turn was longest ago is first.
  private var owners: [Entry.Owner] = []
  private var running: [Entry] = []

  init(most: Int, folderKey: @escaping (ListName) -> String) {
    self.most = most
    self.folderKey = folderKey
  }

  var isEmpty: Bool { waiting.isEmpty && running.isEmpty }

  /// The owners for whom a task for pictures runs or waits.
  var rollOwners: Set<UInt32> {
    let entries = running + waiting.values.joined()
    return Set(entries.lazy.filter(\.task.isRoll).compactMap(\.owner))
  }

  mutating func add(_ task: Task) {
    let entry = Entry(task, task.candidate.map { folderKey(ListName($0.name)) })
    if waiting[entry.owner] == nil { owners.append(entry.owner) }
    waiting[entry.owner, default: []].append(entry)
  }

  /// Takes the first task that may begin of the first owner who has one. `held` is the file being read ahead; its task waits.
  mutating func next(unless held: Candidate.Key?) -> Task? {
    let (rolls, lists) = (Places(rolls: running), Places(running, most: most))
    if rolls.areFull, lists.areFull { return nil }
    for owner in owners {
      let place = waiting[owner]?.firstIndex { entry in
        (entry.task.isRoll ? rolls : lists).admit(entry)
          && (held == nil || entry.task.candidate?.key != held)
          && !running.contains { $0.excludes(entry) }
      }
      guard let place, let entry = waiting[owner]?.remove(at: place) else { continue }
      endTurn(of: owner)
      running.append(entry)
      return entry.task
    }
    return nil
  }

  private mutating func endTurn(of owner: Entry.Owner) {
    owners.removeAll { $0 == owner }
    if waiting[owner]?.isEmpty == true { waiting[owner] = nil } else { owners.append(owner) }
  }

  mutating func ended(_ task: Task) {
    let place = running.firstIndex { $0.task.isSame(as: task) }
    if let place { running.remove(at: place) }
  }
}

extension ClaimQueue.Task {
  fileprivate var isRoll: Bool {
    if case .finishRolls = self { true } else { candidate?.isRoll ?? false }
  }

  /// The sizes of unfinished rolls are not known.
  fileprivate var isLong: Bool {
    guard let candidate else { return isRoll }
    return candidate.status.size > (isRoll ? ClaimQueue.longestRoll : ClaimQueue.longest)
  }

  /// The user whose turn it is; nil for the daemon itself.
  fileprivate var owner: UInt32? {
    switch self {
    case .attempt(let candidate, _), .reject(let candidate, _, _): candidate.status.owner
    case .again(let order, _): order.user ?? order.owner
    case .finishRolls(let owner): owner
    }
  }

  /// The owner of the lists that it may become.
  fileprivate var lister: UInt32? {
    if case .again(let order, _) = self { order.owner } else { owner }
  }

  /// Of the lists that it may become.
  fileprivate var stems: [ArraySlice<UInt8>] {
    switch self {
    case .attempt(let candidate, _), .reject(let candidate, _, _):
      let name = ListName(candidate.name)
      return [name.stem] + name.continued
    case .again(_, let stem): return [stem[...]]
    case .finishRolls: return []
    }
  }

  /// A file's status may have changed since its task began.
  fileprivate func isSame(as other: Self) -> Bool {
    if candidate == nil || other.candidate == nil { return self == other }
    return candidate?.key == other.candidate?.key
  }
}

extension ClaimQueue {
  /// A task, with what is compared for each that waits.
  private struct Entry {
    /// Nil for the daemon itself.
    typealias Owner = UInt32?

    let task: Task
    let owner: Owner
    private let stems: [ArraySlice<UInt8>]
    /// Nil for a task without a file: a list that is repeated has its folder.
    private let folder: String?

    init(_ task: Task, _ folder: String?) {
      (self.task, self.folder) = (task, folder)
      stems = task.stems
      owner = task.owner
    }

    /// The same name without the suffix, or the same folder of prints, or the same inode; two rolls of an owner.
    func excludes(_ other: Self) -> Bool {
      let (isRoll, isOther) = (task.isRoll, other.task.isRoll)
      if isRoll || isOther {
        if task.lister != other.task.lister { return false }
        if isRoll && isOther { return true }
      }
      if stems.contains(where: other.stems.contains) { return true }
      if folder != nil, folder == other.folder { return true }
      guard let own = task.candidate?.status, let status = other.task.candidate?.status else {
        return false
      }
      return own.inode == status.inode && own.device == status.device
    }
  }
}

extension ClaimQueue {
  /// Which of the places for lists, or for rolls, are taken.
  private struct Places {
    private let most: Int
    private let mostLong: Int
    private let taken: Int
    /// The owners of long ones; each has one.
    private let longs: [Entry.Owner]

    private init(_ entries: some Collection<Entry>, _ most: Int, _ mostLong: Int) {
      (self.most, self.mostLong, taken) = (most, mostLong, entries.count)
      longs = entries.filter(\.task.isLong).map(\.owner)
    }

    init(_ running: [Entry], most: Int) {
      self.init(
        running.filter { !$0.task.isRoll }, most, max(1, min(ClaimQueue.mostLong, most - 1)))
    }

    init(rolls running: [Entry]) {
      self.init(running.filter(\.task.isRoll), ClaimQueue.mostRolls, ClaimQueue.mostRolls / 2)
    }

    var areFull: Bool { taken >= most }

    func admit(_ entry: Entry) -> Bool {
      if areFull { return false }
      return !entry.task.isLong || longs.count < mostLong && !longs.contains(entry.owner)
    }
  }
}
