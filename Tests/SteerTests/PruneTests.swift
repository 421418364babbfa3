// SPDX-License-Identifier: Apache-2.0
// The lists that `prune` and `remove` choose, with a daemon that notes which it was asked to remove.

import Linux
import Steer
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomctl

struct PruneTests {
  private static let hour: UInt64 = 3_600_000

  private static func list(
    _ id: UInt64, _ name: String, _ state: ListState, hours: UInt64? = 1, owner: UInt32 = 1000,
    isReturned: Bool = true
  ) -> ListSummary {
    var list = Samples.list
    (list.id, list.name, list.state, list.owner) = (id, name, state.name, owner)
    list.ended = hours.map { FixedTime().wallTime() - $0 * hour } ?? 0
    list.end.isReturned = isReturned && state.isFinal
    return list
  }

  private static let lists = [
    list(30, "trip-b", .finished, hours: 1), list(3, "trip-a", .cancelled, hours: 50),
    list(5, "trip-a", .finished, hours: 20), list(7, "trip-c", .running, hours: nil),
    list(8, "trip-d", .finished, hours: 90, isReturned: false),
    list(9, "winter", .finished, hours: 60, owner: 1001), list(11, "9", .finished, hours: 10),
    list(12, "undated", .finished, hours: nil),
  ]

  /// The numbers that the daemon was asked to remove.
  private func removed(
    _ line: String, as caller: UInt32 = 1000, among lists: [ListSummary] = Self.lists,
    stuck: UInt64? = nil, isClockBelieved: Bool = true, bereft: UInt64? = nil,
    isTerminal: Bool = true
  ) async throws -> (numbers: [String], code: ExitCode, words: SpokenWords) {
    let folder = try FreshFolder.forSockets()
    let daemon = PrunedDaemon(
      lists: lists, stuck: stuck, isClockBelieved: isClockBelieved, bereft: bereft)
    let server = try RunningServer(
      path: "\(folder.path)/control", handler: daemon, clock: try SystemClock())
    let words = SpokenWords()
    let voice = words.voice(isTerminal: isTerminal)
    let order = try ToolArguments.read(
      ["--socket", "\(folder.path)/control"] + line.split(separator: " ").map(String.init))
    let code = try await onOwnThread {
      DaemonTalk(
        order: order, voice: voice, clock: FixedTime(), users: { $0 == 1001 ? "berta" : nil },
        caller: caller
      ).run()
    }
    server.stop()
    await server.stopped()
    #expect(daemon.sparing == (line.hasPrefix("prune") ? daemon.removed.count : 0))
    return (daemon.removed, code, words)
  }

  @Test(
    "only lists that are over, fit and belong to the caller go, the oldest first",
    arguments: [
      ("prune *", 1000, ["3", "5", "8", "11", "12", "30"]),
      ("prune *", 0, ["3", "5", "8", "9", "11", "12", "30"]),
      ("prune --older-than 15h", 1000, ["3", "5", "8"]),
      ("prune --older-than 20h", 1000, ["3", "5", "8"]),
      ("prune --state cancelled", 1000, ["3"]), ("prune --user berta", 0, ["9"]),
      ("prune trip-a", 1000, ["3", "5"]), ("prune t* --older-than 2d", 1000, ["3", "8"]),
      ("prune 5", 1000, ["5"]), ("prune 9", 0, ["9"]), ("prune trip-c 8", 0, ["8"]),
      ("prune --dry-run *", 0, []),
    ] as [(String, UInt32, [String])])
  func chosen(line: String, caller: UInt32, numbers: [String]) async throws {
    let (asked, code, words) = try await removed(line, as: caller)
    #expect(asked == numbers && code == .done, "\(words.error)")
  }

  @Test(
    arguments: ["remove 5", "remove 3 5", "prune trip-a"],
    [(true, true), (true, false), (false, true), (false, false)])
  func `what stays of a list is told everywhere`(
    line: String, _ form: (isTerminal: Bool, isJSON: Bool)
  ) async throws {
    let (isTerminal, isJSON) = form
    let (asked, code, words) = try await removed(
      isJSON ? "\(line) --json" : line, bereft: 5, isTerminal: isTerminal)
    #expect(asked.last == "5" && code == .done)
    let told = isJSON || isTerminal ? words.out : words.error
    // A sentence begins with a capital letter.
    #expect(told.contains(PrunedDaemon.rest.dropFirst()), "\(words.out)\(words.error)")
    if isJSON {
      #expect(words.out.contains(#""rest":"its file about is gone"#) && words.error.isEmpty)
    } else if !isTerminal {
      #expect(words.out.split(separator: "\n").allSatisfy { $0.contains("\t") })
    }
  }

  @Test(arguments: [
    ("trip", ["1"]), ("trip.csv", ["2"]), ("trip.plist", ["1"]), ("Trip", ["3"]), ("a*b", ["4"]),
    ("trip*", ["1", "2"]), ("Trip*", ["3"]), ("?rip", ["1", "3"]), ("a*", ["4", "5"]),
    ("TRIP", []), ("trip.csv TRIP", []), ("*", ["1", "2", "3", "4", "5"]), ("*.csv", ["2"]),
    // The ending of the file is not a part of a list's name, and what is left would fit all lists.
    ("*.txt", []), ("tri?.txt", []), ("TRIP*", []),
    ("trip*\(String(repeating: "?", count: 60))", []),
  ])
  func `a name means the lists of this name alone, letter by letter`(
    names: String, numbers: [String]
  ) async throws {
    let names = "prune \(names)"
    let alike = ["trip", "trip.csv", "Trip", "a*b", "aXXb"].enumerated()
      .map { Self.list(UInt64($0 + 1), $1, .finished) }
    let (asked, code, words) = try await removed(names, among: alike)
    #expect(asked == numbers && (code == .done) == !numbers.isEmpty, "\(words.error)")
  }

  @Test func `a list that cannot be removed is told and counted, and the others go`() async throws {
    // As one whose results cannot be written yet.
    let (asked, code, words) = try await removed("prune trip-*", stuck: 8)
    #expect(asked == ["3", "5", "8", "30"] && code == .failed)
    #expect(words.error.hasPrefix("darkroomctl: Could not remove trip-d (list 8): "))
    #expect(words.out.hasSuffix("\nRemoved 3 lists; remove failed for 1.\n"), "\(words.out)")
  }

  @Test(arguments: ["prune --older-than 15h", "prune --dry-run --older-than 15h trip-a"])
  func `the daemon judges the age, and a clock that it does not believe removes nothing`(
    line: String
  ) async throws {
    let (asked, code, words) = try await removed(line, isClockBelieved: false)
    #expect(asked.isEmpty && code == .failed && words.error.contains("not here"))
  }

  @Test func `an unknown name removes nothing`() async throws {
    let (asked, code, words) = try await removed("prune trip-a nemo")
    #expect(asked.isEmpty && code == .noSuchList && words.error.contains("'nemo'"))
  }

  @Test(arguments: ["prune trip-a hidden", "remove trip-a hidden"])
  func `the daemon judges a name that no list has, and trouble is no wrong name`(
    line: String
  ) async throws {
    let (asked, code, words) = try await removed(line)
    #expect(asked == (line.hasPrefix("remove") ? ["5"] : []) && code == .failed)
    #expect(words.error.contains("trouble hides it") && !words.error.contains("no list"))
  }

  @Test func `several lists are found before the first is removed, each once`() async throws {
    let (asked, code, words) = try await removed("remove trip-a 5 nemo trip-b")
    #expect(asked == ["5", "30"] && code == .failed)
    #expect(words.error.hasPrefix("darkroomctl: Could not remove 'nemo': there is no list 'nemo'"))
  }
}

/// Concurrency: the locks guard the numbers.
private final class PrunedDaemon: ControlService {
  private let lists: [ListSummary]
  private let stuck: UInt64?
  private let isClockBelieved: Bool
  /// The list of which something stays.
  private let bereft: UInt64?
  static let rest = "its file about is gone, so its files in done stay"
  private let asked = Mutex<[String]>([])
  /// The calls that leave lists without results alone.
  private let spared = Mutex(0)

  init(lists: [ListSummary], stuck: UInt64?, isClockBelieved: Bool, bereft: UInt64?) {
    (self.lists, self.stuck, self.isClockBelieved) = (lists, stuck, isClockBelieved)
    self.bereft = bereft
  }

  var removed: [String] { asked.withLock { $0 } }
  var sparing: Int { spared.withLock { $0 } }

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    switch call {
    case is ListsOrder: return .answer(ListsReply(lists))
    case let order as AgedOrder:
      if !isClockBelieved { break }
      return .answer(ListsReply(lists.filter { $0.isAged(order.age, at: FixedTime().wallTime()) }))
    case let order as ShowOrder:
      guard let list = lists.first(where: { "\($0.id)" == order.list.text }) else {
        return .failed(
          order.list.text == "hidden"
            ? .notPossible(why: "trouble hides it") : .noSuchList(name: order.list.text))
      }
      return .answer(ShowReport(list: list, photos: Samples.photos))
    case let order as RemoveOrder:
      asked.withLock { $0.append(order.list.text) }
      if order.spare { spared.withLock { $0 += 1 } }
      guard let list = lists.first(where: { "\($0.id)" == order.list.text }), list.id != stuck
      else { break }
      return .answer(ListReply(list, rest: list.id == bereft ? Self.rest : nil))
    default: break
    }
    return .failed(.notPossible(why: "not here"))
  }
}

extension ListSummary {
  /// As a daemon with a believed clock judges; the time of an end that is not known is 0.
  func isAged(_ age: Duration, at now: UInt64) -> Bool {
    ended > 0 && .milliseconds(now - min(now, ended)) >= age
  }
}
