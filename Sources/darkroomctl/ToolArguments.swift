// SPDX-License-Identifier: Apache-2.0
// Reads the command line. Options may come anywhere, as `--name VALUE` or `--name=VALUE`; `--` ends them. The readers of
// the commands are in `ToolArguments+Tasks`. Raises `TextProblem`.

internal import Steer
package import Vocabulary

package struct ToolArguments: Sendable {
  /// Stands for an absent `--root`; nil or empty without effect.
  private let defaultRoot: String?
  /// The command that reads.
  private(set) var command = ""
  /// Without the command.
  private(set) var words: [String] = []
  private var options: [(option: ToolOption, written: String, value: String)] = []

  private init(defaultRoot: String?) { self.defaultRoot = defaultRoot }

  package static func read(
    _ arguments: [String], defaultRoot: String? = nil
  ) throws(TextProblem) -> ToolOrder {
    var reader = ToolArguments(defaultRoot: defaultRoot)
    try reader.split(arguments)
    return try reader.order()
  }

  /// True if errors are printed as JSON, including those of an invalid command line.
  package static func wantJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains(ToolOption.json.name)
  }

  private mutating func split(_ arguments: [String]) throws(TextProblem) {
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
        Self.option(String(argument.prefix(2)))?.value != nil
      {
        parts = [argument.prefix(2), argument.dropFirst(2)]
      }
      let name = String(parts[0])
      guard let option = Self.option(name) else {
        throw unknown(option: name, words + rest)
      }
      var value = parts.count > 1 ? String(parts[1]) : nil
      if option.value != nil {
        value = value ?? rest.popFirst()
        guard let value, !value.isEmpty else { throw .missingValue(option: name) }
      } else if value != nil {
        throw .unwantedValue(option: name)
      }
      options.append((option, name, value ?? ""))
    }
  }

  private static func option(_ written: String) -> ToolOption? {
    ToolOption.everyOne.first { $0.isWritten(written) }
  }

  /// The error for an unknown option. It names the command if the words contain a command, even after the option.
  private func unknown(option name: String, _ words: [String]) -> TextProblem {
    let command = words.prefix { $0 != "--" }.lazy.compactMap { ToolCommand.named($0) }.first
    let known = command.map { $0.syntax.options + ToolOption.common } ?? ToolOption.everyOne
    return .unknownOption(
      name, command: command?.name,
      near: Suggestion.nearest(to: name, among: known.map(\.name)))
  }

  func value(_ option: ToolOption) -> String? {
    options.last { $0.option.name == option.name }?.value
  }

  func has(_ option: ToolOption) -> Bool { value(option) != nil }

  private mutating func order() throws(TextProblem) -> ToolOrder {
    if has(.version) { return ToolOrder(try ToolCommand.version.read(Self(defaultRoot: nil))) }
    guard let first = words.first else {
      if has(.help) { return try Self.read(["help"]) }
      if let other = options.first(where: { ToolCommand.brief.option($0.written) == nil }) {
        throw .noCommand(option: other.written)
      }
      return try order(.brief)
    }
    let command = try Self.named(first)
    if has(.help) { return try Self.read(["help", first]) }
    words.removeFirst()
    return try order(command)
  }

  private mutating func order(_ command: ToolCommand) throws(TextProblem) -> ToolOrder {
    self.command = command.name
    for place in options.indices {
      guard let option = command.option(options[place].written) else {
        throw .misplaced(option: options[place].written, command: command.name)
      }
      options[place].option = option
    }
    let task = try command.read(self)
    if has(.json), has(.plain) { throw .twoForms }
    return ToolOrder(
      task, socket: try socket(), isJSON: has(.json), isPlain: has(.plain),
      usesPager: !has(.noPager) && !has(.follow))
  }

  static func named(_ word: String) throws(TextProblem) -> ToolCommand {
    guard let command = ToolCommand.named(word) else {
      let known = ToolCommand.all.map(\.name)
      throw .unknownCommand(word, near: Suggestion.nearest(to: word, among: known))
    }
    return command
  }

  private func socket() throws(TextProblem) -> String {
    let socket = value(.socket)
    if socket != nil, has(.root) { throw .twoPlaces }
    return socket ?? root.map { "\($0)/control" } ?? ToolOrder.systemSocket
  }

  /// Without a slash at its end.
  var root: String? {
    guard let root = value(.root) ?? defaultRoot, !root.isEmpty else {
      return nil
    }
    return root.hasSuffix("/") ? String(root.dropLast()) : root
  }

  // MARK: Words

  func nothing() throws(TextProblem) { _ = try some([], most: 0) }

  /// The words. Raises an error if one of these is missing, or if there are more than `most`.
  func some(_ needed: [String], most: Int = .max) throws(TextProblem) -> [String] {
    if words.count < needed.count {
      throw .missingWord(command: command, what: needed[words.count])
    }
    if words.count > most { throw .unwantedWord(command: command, word: words[most]) }
    return words
  }

  /// The words with which an error asks for a missing list.
  static let list = "a list's name or number"

  func word() throws(TextProblem) -> String? { try some([], most: 1).first }

  func one(_ what: String) throws(TextProblem) -> String { try some([what], most: 1)[0] }

  func list() throws(TextProblem) -> ListReference { ListReference(try one(Self.list)) }

  func lists() throws(TextProblem) -> [ListReference] {
    try some([Self.list]).map { ListReference($0) }
  }

  func maybeList() throws(TextProblem) -> ListReference? { try word().map { ListReference($0) } }

  func file() throws(TextProblem) -> String { try one("the file of a photo list") }

  func wait() throws(TextProblem) -> WaitTask {
    WaitTask(try lists(), timeout: try timeout())
  }

  func timeout() throws(TextProblem) -> Duration? {
    guard let text = value(.timeout) else { return nil }
    guard let time = Amounts.duration(text) else {
      throw .badValue(
        option: "--timeout", value: text,
        why: "use seconds or a unit, such as \(Amounts.durationSamples)")
    }
    return time
  }
}
