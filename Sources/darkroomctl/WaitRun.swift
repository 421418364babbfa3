// SPDX-License-Identifier: Apache-2.0
// `wait`: follows lists, a few at a time, each on a separate connection, and shows them on a terminal: a line for each,
// and for one that stands still the reason. Raises `ControlFailure`.

internal import Linux
internal import Steer
internal import Vocabulary

struct WaitRun {
  private struct Stream {
    let call: ShowOrder
    /// While the list is followed.
    var client: ControlClient?
    var isOver = false
  }

  /// Lists that are followed at once. The daemon gives a user 32 connections, for all commands together.
  static let most = 8

  private let talk: DaemonTalk
  /// An uptime of the clock.
  private let deadline: Duration?
  private var streams: [Stream] = []
  /// The places of lists that are not followed yet, the next one last.
  private var queue: [Int] = []
  private var board = WaitBoard(lists: 0)
  /// How many lists, the first ones, have been told as over.
  private var told = 0
  /// The progress that is on the screen.
  private var shown: [String] = []

  private var voice: ToolVoice { talk.voice }

  init(talk: DaemonTalk, deadline: Duration?) {
    self.talk = talk
    self.deadline = deadline
  }

  mutating func run(_ references: [ListReference]) throws(ControlFailure) -> ExitCode {
    let meant = try meant(by: references)
    streams = meant.map { Stream(call: ShowOrder(list: $0.list, limit: 0)) }
    board = WaitBoard(lists: streams.count)
    // Unknown lists first: the daemon waits for their files, or refuses them at once.
    let known = streams.indices.filter { meant[$0].isKnown }
    queue = (streams.indices.filter { !meant[$0].isKnown } + known).reversed()
    do throws(ControlFailure) {
      while told < streams.count {
        try follow()
        try look()
      }
    } catch {
      show([])
      throw error
    }
    let ends = board.lists.compactMap { $0 }
    if talk.order.isJSON { voice.say(["lists": .array(ends.map { .object($0.object) })]) }
    return .of(ends)
  }

  // MARK: Following

  /// A pattern means all lists that fit. Of many lists some are followed later: their names mean the lists of now.
  private func meant(by references: [ListReference]) throws(ControlFailure) -> [(
    list: ListReference, isKnown: Bool
  )] {
    guard references.count > Self.most || references.contains(where: \.isPattern) else {
      return references.map { ($0, false) }
    }
    let before = Set(try lists().map(\.id))
    let files = references.contains(where: \.isPattern) ? try waitingFiles() : []
    let names = try lists().map(\.candidate)
    let taken = Set(names.filter { !before.contains($0.id) }.map(\.name))
    return references.flatMap { reference in
      // A file that has become a list meanwhile is among the lists.
      let coming = Set(files.filter { reference.fits($0) && !taken.contains($0) })
      // As with a plain name, an older list that a file replaces is not meant.
      let old = Set(names.filter { $0.isFinal && coming.contains($0.name) }.map(\.id))
      let numbers = reference.all(among: names, for: talk.caller).filter { !old.contains($0) }
      let known = numbers.map { (ListReference("\($0)"), true) }
      // The daemon words the error, or waits for the file.
      return numbers.isEmpty && coming.isEmpty
        ? [(reference, false)] : known + coming.sorted().map { (ListReference($0), false) }
    }
  }

  private func lists() throws(ControlFailure) -> [ListSummary] {
    try talk.ask(ListsOrder()).lists
  }

  /// The names of the lists that the files of the inbox become.
  private func waitingFiles() throws(ControlFailure) -> [String] {
    let inbox = try talk.ask(InboxOrder()).inbox
    // Ignored files come after those that wait.
    let ignored = InboxFile.Fate.ignored.rawValue
    if inbox.more > 0, !inbox.files.contains(where: { $0.fate == ignored }) {
      throw .refused(
        .notPossible(
          why:
            "the inbox has \(Amounts.counted(Int(inbox.more), "more file")) than the daemon shows, so "
            + "that not all lists that the pattern means are known"))
    }
    return inbox.files.map(\.becomes).filter { !$0.isEmpty }
  }

  /// A list that ends makes room for the next one.
  private mutating func follow() throws(ControlFailure) {
    while streams.count(where: { $0.client != nil }) < Self.most, let place = queue.popLast() {
      let client = try ControlClient(path: talk.order.socket, clock: talk.clock)
      try client.begin(streams[place].call, until: deadline)
      streams[place].client = client
    }
  }

  /// Waits for the next replies, on a terminal not longer than the pause.
  private mutating func look() throws(ControlFailure) {
    let left = deadline.map { $0 - talk.clock.uptime() }
    if let left, left <= .zero { throw .timeIsOver }
    let limit =
      voice.progressScreen.isTerminal ? min(left ?? WaitBoard.pause, WaitBoard.pause) : left
    let open = streams.compactMap(\.client).map { Poll.Watch($0.descriptor) }
    _ = try? Poll.wait(open, for: limit)
    for place in streams.indices where streams[place].client != nil { try take(place) }
    if voice.progressScreen.isTerminal {
      askReasons()
      show(board.lines(from: told, voice.progressScreen))
    }
  }

  /// Takes the replies that have arrived, and shows each.
  private mutating func take(_ place: Int) throws(ControlFailure) {
    let call = streams[place].call
    guard let client = streams[place].client else { return }
    while let (report, continues) = try client.arrived(for: call) {
      board.note(report.list, at: place)
      if !continues {
        guard report.list.end.isReturned else { throw .lost }
        (streams[place].client, streams[place].isOver) = (nil, true)
        return tellEnds()
      }
      show(board.lines(from: told, voice.progressScreen))
    }
  }

  // MARK: Reasons

  /// Asks why lists stand still. If a question fails, the list is skipped, because the stream ends when the daemon is
  /// gone.
  private mutating func askReasons() {
    for place in streams.indices where streams[place].client != nil {
      guard let list = board.lists[place], board.isDue(place, at: talk.clock.uptime()) else {
        continue
      }
      let order = ShowOrder(list: ListReference("\(list.id)"), limit: 1, state: .new)
      guard let report = try? quick(order) else { continue }
      board.note(report.list, at: place)
      guard let status = try? quick(StatusOrder()).status else { continue }
      board.note(report.photos.first, status, at: place, now: talk.clock.wallTime())
    }
  }

  private func quick<Method: ControlMethod>(
    _ call: Method
  ) throws(ControlFailure) -> Method.Answer {
    try ControlClient(path: talk.order.socket, clock: talk.clock, patience: WaitBoard.pause).call(
      call)
  }

  // MARK: Words

  private mutating func show(_ lines: [String]) {
    if lines == shown { return }
    voice.progress(lines, over: shown.count)
    shown = lines
  }

  /// In the order in which the lists were named.
  private mutating func tellEnds() {
    if streams[told].isOver { show([]) }
    while told < streams.count, streams[told].isOver {
      if let end = board.lists[told] { tell(end) }
      told += 1
    }
  }

  private func tell(_ end: ListSummary) {
    if talk.order.isJSON { return }
    voice.say(talk.sentence(end))
    // The list itself has ended, whatever becomes of this question.
    if end.failed > 0, voice.screen.isTerminal, let failures = try? talk.failures(of: end) {
      talk.say(failures, of: end)
    }
  }
}
