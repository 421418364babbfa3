// SPDX-License-Identifier: Apache-2.0
// Reads the command line. Options may come anywhere, as `--name VALUE` or `--name=VALUE`; `--` ends them.
// Raises `UsageError`.

internal import Catalog
internal import Steer
internal import Vocabulary

package struct ToolArguments {
  private static let mostJobs = 256

  /// Stands for an absent `--root`; nil or empty without effect.
  private let defaultRoot: String?
  private var words: [String] = []
  private var options: [(option: ToolOption, written: String, value: String)] = []

  private init(defaultRoot: String?) { self.defaultRoot = defaultRoot }

  package static func read(
    _ arguments: [String], defaultRoot: String? = nil
  ) throws(UsageError) -> ToolOrder {
    var reader = ToolArguments(defaultRoot: defaultRoot)
    try reader.split(arguments)
    return try reader.order()
  }

  /// True if errors are printed as JSON, including those of an invalid command line.
  package static func wantJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains(ToolOption.json.rawValue)
  }

  private mutating func split(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      guard argument.utf8.first == UInt8(ascii: "-"), argument.utf8.count > 1 else {
        words.append(argument)
        continue
      }
      var parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // A short option with its value, such as `-j4`.
      if argument.utf8.count > 2, !argument.hasPrefix("--"),
        ToolOption(written: String(argument.prefix(2)))?.takesValue == true
      {
        parts = [argument.prefix(2), argument.dropFirst(2)]
      }
      let name = String(parts[0])
      guard let option = ToolOption(written: name) else {
        throw unknown(option: name, words + rest)
      }
      var value = parts.count > 1 ? String(parts[1]) : nil
      if option.takesValue {
        value = value ?? rest.popFirst()
        guard let value, !value.isEmpty else { throw .missingValue(option: name) }
      } else if value != nil {
        throw .unwantedValue(option: name)
      }
      options.append((option, name, value ?? ""))
    }
  }

  /// Names the command if one is written, even behind the option.
  private func unknown(option name: String, _ words: [String]) -> UsageError {
    let command = words.prefix { $0 != "--" }.lazy.compactMap { CommandName(rawValue: $0) }.first
    let known = ToolOption.allCases.filter { option in
      command.map { option.belongs(to: $0) } ?? true
    }
    return .unknownOption(
      name, command: command?.rawValue,
      near: Suggestion.nearest(to: name, among: known.map(\.rawValue)))
  }

  private func value(_ option: ToolOption) -> String? {
    options.last { $0.option == option }?.value
  }

  private func order() throws(UsageError) -> ToolOrder {
    if value(.version) != nil { return ToolOrder(.version) }
    guard let first = words.first else {
      if value(.help) != nil { return ToolOrder(.help(nil)) }
      if let other = options.first(where: { !$0.option.belongs(to: .status) }) {
        throw .noCommand(option: other.written)
      }
      return try order(.brief)
    }
    let name = try command(first)
    if value(.help) != nil { return ToolOrder(.help(name)) }
    var reader = self
    reader.options = options.map { option, written, value in
      (ToolOption(written: written, for: name) ?? option, written, value)
    }
    return try reader.order(name)
  }

  private func order(_ name: CommandName) throws(UsageError) -> ToolOrder {
    for (option, written, _) in options where !option.belongs(to: name) {
      throw .misplaced(option: written, command: name.rawValue)
    }
    return try order(try command(name, Array(words.dropFirst())))
  }

  private func order(_ command: ToolCommand) throws(UsageError) -> ToolOrder {
    if value(.json) != nil, value(.plain) != nil { throw .twoForms }
    return ToolOrder(
      command, socket: try socket(), isJSON: value(.json) != nil, isPlain: value(.plain) != nil,
      usesPager: value(.noPager) == nil)
  }

  private func command(_ word: String) throws(UsageError) -> CommandName {
    guard let name = CommandName(rawValue: word) else {
      let known = CommandName.allCases.map(\.rawValue)
      throw .unknownCommand(word, near: Suggestion.nearest(to: word, among: known))
    }
    return name
  }

  private func socket() throws(UsageError) -> String {
    let socket = value(.socket)
    if socket != nil, value(.root) != nil { throw .twoPlaces }
    return socket ?? root.map { "\($0)/control" } ?? ToolOrder.systemSocket
  }

  /// Without a slash at its end.
  private var root: String? {
    guard let root = value(.root) ?? defaultRoot, !root.isEmpty else {
      return nil
    }
    return root.hasSuffix("/") ? String(root.dropLast()) : root
  }

  private func command(_ name: CommandName, _ words: [String]) throws(UsageError) -> ToolCommand {
    switch name {
    case .status: return try alone(value(.check) == nil ? .status : .health, name, words)
    case .config: return try alone(.config, name, words)
    case .list: return try alone(.list(try filter()), name, words)
    case .inbox: return try alone(.inbox, name, words)
    case .reload: return try alone(.reload, name, words)
    case .metrics: return try alone(.metrics, name, words)
    case .nodes: return try alone(.nodes, name, words)
    case .drain: return .drain(try drain(words))
    case .flush:
      if words.count > 1 { throw .unwantedWord(command: name.rawValue, word: words[1]) }
      return .flush(host: words.first)
    case .show: return .show(try oneList(name, words), state: try state())
    case .why: return try why(words)
    case .pause: return try turn(.pause, words) { .pause($0) }
    case .resume: return try turn(.resume, words) { .resume($0) }
    case .cancel: return try turn(.cancel, words) { .cancel($0) }
    case .remove: return .remove(try oneList(name, words))
    case .sheet: return .sheet(try oneList(name, words))
    case .retry:
      let (list, photos) = try selection(name, words)
      return .retry(RetryOrder(list: list, photos: photos))
    case .quality: return try quality(words)
    case .focus: return try focus(words)
    case .unfocus: return .unfocus(try oneList(name, words))
    case .open: return .open(OpenTask(list: try oneList(name, words), address: try address()))
    case .wait:
      guard !words.isEmpty else {
        throw .missingWord(command: name.rawValue, what: "a list's name or number")
      }
      return .wait(words.map { ListReference($0) }, timeout: try timeout())
    case .watch:
      if words.count > 1 { throw .unwantedWord(command: name.rawValue, word: words[1]) }
      return .watch(words.first.map { ListReference($0) })
    case .cache:
      if let word = words.first(where: { $0 != "clear" }) ?? words.dropFirst().first {
        throw .unwantedWord(command: name.rawValue, word: word)
      }
      return .cache(clear: !words.isEmpty)
    case .submit: return .submit(try submit(words))
    case .develop: return .develop(try develop(words))
    case .check:
      return .check(file: try one(name, words, what: "the file of a photo list"))
    case .verify: return .verify(try oneList(name, words))
    case .journal: return .journal(try journal(words))
    case .log: return .log(try log(words))
    case .help:
      if words.count > 1 { throw .unwantedWord(command: name.rawValue, word: words[1]) }
      guard let word = words.first else { return .help(nil) }
      return .help(try command(word))
    }
  }

  private func alone(_ command: ToolCommand, _ name: CommandName, _ words: [String])
    throws(UsageError) -> ToolCommand
  {
    if let word = words.first { throw .unwantedWord(command: name.rawValue, word: word) }
    return command
  }

  private func oneList(_ name: CommandName, _ words: [String]) throws(UsageError)
    -> ListReference
  {
    ListReference(try one(name, words, what: "a list's name or number"))
  }

  /// One list, or those that `--all` or `--user` means.
  private func turn(
    _ turn: ListTurn, _ words: [String], _ one: (ListReference) -> ToolCommand
  ) throws(UsageError) -> ToolCommand {
    let user = value(.user)
    if user == nil, value(.all) == nil {
      return one(
        ListReference(try self.one(turn.command, words, what: "a list's name or number")))
    }
    if let word = words.first { throw .unwantedWord(command: turn.rawValue, word: word) }
    return .changeAll(turn, user: user)
  }

  private func one(_ name: CommandName, _ words: [String], what: String) throws(UsageError)
    -> String
  {
    guard let word = words.first else { throw .missingWord(command: name.rawValue, what: what) }
    if words.count > 1 { throw .unwantedWord(command: name.rawValue, word: words[1]) }
    return word
  }

  private func quality(_ words: [String]) throws(UsageError) -> ToolCommand {
    guard let list = words.first else {
      throw .missingWord(command: "quality", what: "a list's name or number")
    }
    guard words.count > 1 else { throw .missingWord(command: "quality", what: "a class") }
    if words.count > 2 { throw .unwantedWord(command: "quality", word: words[2]) }
    return .quality(ListReference(list), try serviceClass(words[1], of: "CLASS"))
  }

  private func serviceClass(_ text: String, of option: String) throws(UsageError) -> ServiceClass {
    if let known = ServiceClass(name: text) { return known }
    throw .unknownValue(text, of: option, "use one of", ServiceClass.allCases.map(\.name))
  }

  private func why(_ words: [String]) throws(UsageError) -> ToolCommand {
    guard let list = words.first else {
      throw .missingWord(command: "why", what: "a list's name or number")
    }
    if words.count > 2 { throw .unwantedWord(command: "why", word: words[2]) }
    return .why(WhyOrder(list: ListReference(list), photo: words.dropFirst().first))
  }

  /// A list, and words for photos of it.
  private func selection(
    _ command: CommandName, _ words: [String]
  ) throws(UsageError) -> (ListReference, [String]) {
    guard let list = words.first else {
      throw .missingWord(command: command.rawValue, what: "a list's name or number")
    }
    let photos = Array(words.dropFirst())
    if photos.count > FocusOrder.mostWords {
      throw .unwantedWord(command: command.rawValue, word: photos[FocusOrder.mostWords])
    }
    return (ListReference(list), photos)
  }

  private func focus(_ words: [String]) throws(UsageError) -> ToolCommand {
    let (list, photos) = try selection(.focus, words)
    var order = FocusOrder(list: list, photos: photos)
    if let text = value(.lease) {
      let most = Duration.seconds(Int64(FocusOrder.longestLease))
      guard let time = Amounts.duration(text), time >= .seconds(1), time <= most else {
        throw .badValue(
          option: "--for", value: text, why: "use a time from 1 s to 1 h, such as 30s or 5min")
      }
      order.seconds = UInt32(time.components.seconds)
    }
    return .focus(order)
  }

  /// That of the page, as a browser writes it.
  private func address() throws(UsageError) -> String? {
    guard let text = value(.address) else { return nil }
    let isPlain = text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    guard isPlain, text.hasPrefix("http://") || text.hasPrefix("https://") else {
      throw .badValue(
        option: "--address", value: text, why: "use an address such as https://photos.example.org")
    }
    return text
  }

  private func journal(_ words: [String]) throws(UsageError) -> JournalTask {
    let verbs = JournalTask.Verb.allCases.map(\.rawValue)
    guard let word = words.first else {
      throw .missingWord(command: "journal", what: "verify, dump or stat")
    }
    guard let verb = JournalTask.Verb(rawValue: word) else {
      throw .unknownCommand("journal \(word)", near: Suggestion.nearest(to: word, among: verbs))
    }
    if words.count > 2 { throw .unwantedWord(command: "journal", word: words[2]) }
    if let folder = words.dropFirst().first { return JournalTask(verb, folder: folder) }
    return root.map { JournalTask(verb, folder: "\($0)/state") } ?? JournalTask(verb)
  }

  private func drain(_ words: [String]) throws(UsageError) -> DrainTask {
    let node = try one(.drain, words, what: "a node's name")
    let order = DrainOrder(
      node: node, isOff: value(.off) != nil, isNow: value(.now) != nil)
    if order.isOff, order.isNow || value(.wait) != nil {
      throw .misplaced(option: order.isNow ? "--now" : "--wait", command: "drain --off")
    }
    return DrainTask(order, waits: value(.wait) != nil)
  }

  private func log(_ words: [String]) throws(UsageError) -> LogTask {
    if words.count > 2 { throw .unwantedWord(command: "log", word: words[2]) }
    var task = LogTask(
      list: words.first.map { ListReference($0) }, photo: words.dropFirst().first)
    (task.follows, task.explains) = (value(.follow) != nil, value(.explain) != nil)
    task.lines = try lines()
    return task
  }

  private func lines() throws(UsageError) -> Int? {
    guard let text = value(.lines) else { return nil }
    if text == "all" { return .max }
    guard let number = Int(text), number >= 0 else {
      throw .badValue(option: "--lines", value: text, why: "use a number, or all")
    }
    return number
  }

  private func filter() throws(UsageError) -> ListFilter {
    var filter = ListFilter(user: value(.user))
    for name in value(.state)?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      guard let state = ListState(rawValue: String(name)) else {
        throw .unknownValue(
          String(name), of: "--state", "use some of", ListState.allCases.map(\.name))
      }
      filter.states.insert(state)
    }
    return filter
  }

  private func state() throws(UsageError) -> PhotoState? {
    guard let name = value(.state) else { return nil }
    guard let state = PhotoState(name: name) else {
      throw .unknownValue(name, of: "--state", "use one of", PhotoState.allCases.map(\.name))
    }
    return state
  }

  private func timeout() throws(UsageError) -> Duration? {
    guard let text = value(.timeout) else { return nil }
    guard let time = Amounts.duration(text) else {
      throw .badValue(
        option: "--timeout", value: text,
        why: "use seconds or a unit, such as \(Amounts.durationSamples)")
    }
    return time
  }

  private func jobs() throws(UsageError) -> Int? {
    guard let text = value(.jobs) else { return nil }
    guard let number = Int(text), 1...Self.mostJobs ~= number else {
      throw .badValue(
        option: "--jobs", value: text, why: "use a number from 1 to \(Self.mostJobs)")
    }
    return number
  }

  private func develop(_ words: [String]) throws(UsageError) -> DevelopTask {
    guard !words.isEmpty else {
      throw .missingWord(command: "develop", what: "at least one picture file")
    }
    var task = DevelopTask(files: words)
    task.folder = value(.output) ?? "."
    task.isReplacing = value(.force) != nil
    task.filter = try function() ?? task.filter
    task.quality = try quality() ?? task.quality
    task.metadata = try metadata() ?? task.metadata
    task.jobs = try jobs()
    return task
  }

  private func submit(_ words: [String]) throws(UsageError) -> SubmitTask {
    guard let first = words.first else {
      throw .missingWord(
        command: "submit",
        what: "a list, pictures or a folder of them, URLs, or '-' for standard input")
    }
    var task: SubmitTask
    if words.allSatisfy({ $0.contains("://") }) {
      task = SubmitTask(.urls(words))
    } else if words.allSatisfy({ PictureName(Array($0.utf8)).isPicture }) {
      task = SubmitTask(.pictures(words))
    } else if words.count > 1 {
      throw .mixedWords(command: "submit", word: words[1])
    } else {
      task = SubmitTask(first == "-" ? .standardInput : .file(first))
    }
    task.name = value(.name)
    task.waits = value(.wait) != nil || value(.timeout) != nil
    task.timeout = try timeout()
    task.options.filter = try function()
    task.options.quality = try quality()
    task.options.metadata = try metadata()
    task.options.notify = try notify()
    if value(.isPrivate) != nil { task.options.isPrivate = true }
    task.options.serviceClass = try value(.serviceClass).map { (text) throws(UsageError) in
      try serviceClass(text, of: "--quality-of-service")
    }
    return task
  }

  private func notify() throws(UsageError) -> PhotoURL? {
    guard let text = value(.notify) else { return nil }
    do throws(Failure) { return try ListOptions.notify(text) } catch {
      throw .badValue(option: "--notify", value: ShownURL.text(text), why: error.reason)
    }
  }

  // MARK: Options of prints

  private func function() throws(UsageError) -> FilterFunction? {
    guard let text = value(.filter) else { return nil }
    do throws(FilterSyntaxError) { return try FilterFunction(parsing: text) } catch {
      throw .badValue(option: "--filter", value: text, why: error.description)
    }
  }

  private func quality() throws(UsageError) -> PrintQuality? {
    guard let text = value(.quality) else { return nil }
    do throws(PrintQualityError) { return try PrintQuality(parsing: text) } catch {
      throw .badValue(option: "--quality", value: text, why: error.description)
    }
  }

  private func metadata() throws(UsageError) -> MetadataRule? {
    guard let text = value(.metadata) else { return nil }
    guard let rule = MetadataRule(name: text) else {
      throw .badValue(option: "--metadata", value: text, why: "use \(MetadataRule.names)")
    }
    return rule
  }
}
