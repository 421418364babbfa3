// SPDX-License-Identifier: Apache-2.0
// The readers of the words and options of the commands. Raises `TextProblem`.

internal import Catalog
internal import Steer
internal import Vocabulary

extension ToolArguments {
  private static let mostJobs = 256

  func check() throws(TextProblem) -> Bool {
    try nothing()
    return has(.check)
  }

  func filter() throws(TextProblem) -> ListFilter {
    var filter = ListFilter(user: value(.user))
    for name in value(.listStates)?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      guard let state = ListState(rawValue: String(name)) else {
        throw .unknownValue(
          String(name), of: "--state", "use some of", ListState.allCases.map(\.name))
      }
      filter.states.insert(state)
    }
    try nothing()
    return filter
  }

  func show() throws(TextProblem) -> ShowOrder {
    ShowOrder(list: try list(), limit: ShowOrder.highestLimit, state: try state())
  }

  private func state() throws(TextProblem) -> SeenState? {
    guard let name = value(.photoState) else { return nil }
    guard let state = SeenState(rawValue: name) else {
      throw .unknownValue(name, of: "--state", "use one of", SeenState.allCases.map(\.name))
    }
    return state
  }

  func why() throws(TextProblem) -> WhyOrder {
    let words = try some([Self.list], most: 2)
    return WhyOrder(list: ListReference(words[0]), photo: words.dropFirst().first)
  }

  /// One list, or those that `--all` or `--user` means.
  func choice() throws(TextProblem) -> ListChoice {
    if !has(.user), !has(.all) { return .one(try list()) }
    try nothing()
    return .all(user: value(.user))
  }

  func quality() throws(TextProblem) -> ClassTask {
    let words = try some([Self.list, "a class"], most: 2)
    return ClassTask(ListReference(words[0]), try serviceClass(words[1], of: "CLASS"))
  }

  private func serviceClass(_ text: String, of option: String) throws(TextProblem) -> ServiceClass {
    if let known = ServiceClass(name: text) { return known }
    throw .unknownValue(text, of: option, "use one of", ServiceClass.allCases.map(\.name))
  }

  /// A list, and words for photos of it.
  private func selection() throws(TextProblem) -> (ListReference, [String]) {
    let words = try some([Self.list], most: FocusOrder.mostWords + 1)
    return (ListReference(words[0]), Array(words.dropFirst()))
  }

  func retry() throws(TextProblem) -> RetryOrder {
    let (list, photos) = try selection()
    return RetryOrder(list: list, photos: photos)
  }

  func focus() throws(TextProblem) -> FocusOrder {
    let (list, photos) = try selection()
    var order = FocusOrder(list: list, photos: photos)
    if let text = value(.lease) {
      let most = Duration.seconds(Int64(FocusOrder.longestLease))
      guard let time = Amounts.duration(text), time >= .seconds(1), time <= most else {
        throw .badValue(
          option: "--for", value: text, why: "use a time from 1 s to 1 h, such as 30s or 5min")
      }
      order.seconds = UInt32(time.components.seconds)
    }
    return order
  }

  func open() throws(TextProblem) -> OpenTask {
    OpenTask(list: try list(), address: try address())
  }

  /// That of the page, as a browser writes it.
  private func address() throws(TextProblem) -> String? {
    guard let text = value(.address) else { return nil }
    let isPlain = text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    guard isPlain, text.hasPrefix("http://") || text.hasPrefix("https://") else {
      throw .badValue(
        option: "--address", value: text, why: "use an address such as https://photos.example.org")
    }
    return text
  }

  func clear() throws(TextProblem) -> Bool {
    if let word = words.first, word != "clear" { throw .unwantedWord(command: command, word: word) }
    return try word() != nil
  }

  func journal() throws(TextProblem) -> JournalTask {
    let word = try some(["verify, dump or stat"])[0]
    guard let verb = JournalTask.Verb(rawValue: word) else {
      let verbs = JournalTask.Verb.allCases.map(\.rawValue)
      throw .unknownCommand("journal \(word)", near: Suggestion.nearest(to: word, among: verbs))
    }
    let folder = try some([], most: 2).dropFirst().first ?? root.map { "\($0)/state" }
    return folder.map { JournalTask(verb, folder: $0) } ?? JournalTask(verb)
  }

  func drain() throws(TextProblem) -> DrainTask {
    let node = try one("a node's name")
    let order = DrainOrder(
      node: node, isOff: has(.off), isNow: has(.now))
    if order.isOff, order.isNow || has(.wait) {
      throw .misplaced(option: order.isNow ? "--now" : "--wait", command: "drain --off")
    }
    return DrainTask(order, waits: has(.wait))
  }

  func log() throws(TextProblem) -> LogTask {
    let words = try some([], most: 2)
    var task = LogTask(
      list: words.first.map { ListReference($0) }, photo: words.dropFirst().first)
    (task.follows, task.explains) = (has(.follow), has(.explain))
    task.lines = try lines()
    return task
  }

  private func lines() throws(TextProblem) -> Int? {
    guard let text = value(.lines) else { return nil }
    if text == "all" { return .max }
    guard let number = Int(text), number >= 0 else {
      throw .badValue(option: "--lines", value: text, why: "use a number, or all")
    }
    return number
  }

  func shell() throws(TextProblem) -> ShellCompletion {
    let known = ShellCompletion.allCases.map(\.rawValue)
    let word = try one(known.joined(separator: ", "))
    guard let shell = ShellCompletion(rawValue: word) else {
      throw .unknownValue(word, of: "SHELL", "use one of", known)
    }
    return shell
  }

  func helped() throws(TextProblem) -> String? {
    guard let word = try word() else { return nil }
    return try Self.named(word).name
  }

  private func jobs() throws(TextProblem) -> Int? {
    guard let text = value(.jobs) else { return nil }
    guard let number = Int(text), 1...Self.mostJobs ~= number else {
      throw .badValue(
        option: "--jobs", value: text, why: "use a number from 1 to \(Self.mostJobs)")
    }
    return number
  }

  func develop() throws(TextProblem) -> DevelopTask {
    var task = DevelopTask(files: try some(["at least one picture file"]))
    task.folder = value(.output) ?? "."
    task.isReplacing = has(.force)
    task.filter = try function() ?? task.filter
    task.quality = try printQuality() ?? task.quality
    task.metadata = try metadata() ?? task.metadata
    task.jobs = try jobs()
    return task
  }

  func submit() throws(TextProblem) -> SubmitTask {
    let first = try some([
      "a list, pictures or a folder of them, URLs, or '-' for standard input"
    ])[0]
    var task: SubmitTask
    if words.allSatisfy({ $0.contains("://") }) {
      task = SubmitTask(.urls(words))
    } else if words.allSatisfy({ PictureName(Array($0.utf8)).isPicture }) {
      task = SubmitTask(.pictures(words))
    } else if words.count > 1 {
      throw .mixedWords(command: command, word: words[1])
    } else {
      task = SubmitTask(first == "-" ? .standardInput : .file(first))
    }
    task.name = value(.name)
    task.waits = has(.wait) || has(.timeout)
    task.timeout = try timeout()
    task.options.filter = try function()
    task.options.quality = try printQuality()
    task.options.metadata = try metadata()
    task.options.notify = try notify()
    if has(.isPrivate) { task.options.isPrivate = true }
    task.options.serviceClass = try value(.serviceClass).map { (text) throws(TextProblem) in
      try serviceClass(text, of: "--quality-of-service")
    }
    return task
  }

  private func notify() throws(TextProblem) -> PhotoURL? {
    guard let text = value(.notify) else { return nil }
    do throws(Failure) { return try ListOptions.notify(text) } catch {
      throw .badValue(option: "--notify", value: ShownURL.text(text), why: error.reason)
    }
  }

  // MARK: Options of prints

  private func function() throws(TextProblem) -> FilterFunction? {
    guard let text = value(.filter) else { return nil }
    do throws(TextProblem) { return try FilterFunction(parsing: text) } catch {
      throw .badValue(option: "--filter", value: text, why: error.description)
    }
  }

  private func printQuality() throws(TextProblem) -> PrintQuality? {
    guard let text = value(.quality) else { return nil }
    do throws(TextProblem) { return try PrintQuality(parsing: text) } catch {
      throw .badValue(option: "--quality", value: text, why: error.description)
    }
  }

  private func metadata() throws(TextProblem) -> MetadataRule? {
    guard let text = value(.metadata) else { return nil }
    guard let rule = MetadataRule(name: text) else {
      throw .badValue(option: "--metadata", value: text, why: "use \(MetadataRule.names)")
    }
    return rule
  }
}
