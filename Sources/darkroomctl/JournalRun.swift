// SPDX-License-Identifier: Apache-2.0
// `journal`: reads the journal file of a state folder, whose daemon may be running, stopped or elsewhere.
// Changes nothing. `Printable` escapes damaged bytes.

internal import Linux
internal import Record
internal import Steer
internal import Vocabulary

package struct JournalRun {
  private let task: JournalTask
  private let voice: ToolVoice
  private let isJSON: Bool

  package init(task: JournalTask, voice: ToolVoice, isJSON: Bool) {
    self.task = task
    self.voice = voice.speaking(json: isJSON)
    self.isJSON = isJSON
  }

  package func run() -> ExitCode {
    do throws(Failure) {
      let folder = try asMachine { () throws(SystemError) in try Self.open(task.folder) }
      switch task.verb {
      case .verify: return tell(try JournalLook.run(folder))
      case .dump: return try dump(folder)
      case .stat:
        let look = try JournalLook.run(folder)
        voice.say(isJSON ? JSONWriter.text(.object(numbers(look))) + "\n" : table(numbers(look)))
        return look.isWhole ? .done : .failed
      }
    } catch {
      voice.complain(
        error.code,
        "Could not read the journal file of \(Printable.text(task.folder)): \(error.words)")
      return .usage
    }
  }

  /// A state folder, or its journal folder.
  private static func open(_ path: String) throws(SystemError) -> any Folder {
    let folder = try LinuxFolder.open(path: path)
    let journal = FileName(literal: "journal")
    return try folder.has(journal) ? folder.openFolder(journal, creating: false) : folder
  }

  // MARK: verify

  private func tell(_ look: JournalLook) -> ExitCode {
    let folder = Printable.text(task.folder)
    if isJSON {
      var object = JSONObject([
        "folder": .string(task.folder), "whole": .bool(look.isWhole),
        "records": .count(look.records),
        "missing": .count(look.missing), "damageCount": .int(Int64(look.damageCount)),
        "tornBytes": .count(look.tornBytes),
      ])
      object["damages"] = .array(
        look.damages.map { damage -> JSONValue in
          [
            "file": .string(damage.file), "offset": .count(damage.offset),
            "bytes": .count(damage.bytes),
          ]
        })
      voice.say(JSONWriter.text(.object(object)) + "\n")
    } else {
      let lines = look.damages.map { damage in
        voice.screen.isTerminal
          ? "\(damage.file): damage at \(damage.offset), \(Amounts.counted(damage.bytes, "byte"))\n"
          : TextTable.plain(["damage", damage.file, "\(damage.offset)", "\(damage.bytes)"])
      }
      voice.say(lines.joined())
    }
    if look.isWhole {
      if isJSON { return .done }
      let bytes = Amounts.counted(look.tornBytes, "byte")
      let torn =
        look.tornBytes == 0
        ? ""
        : look.newest.isEndKnown
          ? ", and \(bytes) of an append that did not end"
          : ", but \(bytes) at the end may be damaged records: the durable length is not known"
      let records = Amounts.counted(look.records, "record")
      voice.say("\(folder): the journal file is whole: \(records)\(torn)\n")
      return .done
    }
    voice.complain(
      "journal.damaged",
      "\(folder): the journal file is damaged in \(look.damageCount) "
        + "\(look.damageCount == 1 ? "place" : "places"); \(look.missing) "
        + "\(look.missing == 1 ? "record is" : "records are") missing, \(look.records) are whole"
        + (look.newest.isLost
          ? "; neither a snapshot nor the first segment is left, so a start with lists is refused"
          : ""))
    return .failed
  }

  // MARK: dump

  private func dump(_ folder: any Folder) throws(Failure) -> ExitCode {
    var text = ""
    let look = try JournalLook.run(folder) { line in
      text += isJSON ? JSONWriter.text(.object(Self.object(line))) + "\n" : words(line)
      if text.utf8.count < 1 << 16 { return }
      voice.say(text)
      text = ""
    }
    voice.say(text)
    return look.isWhole ? .done : .failed
  }

  private func words(_ line: JournalLook.Line) -> String {
    let text = Printable.text(line.text, limit: 1024)
    guard voice.screen.isTerminal else {
      return TextTable.plain([line.file, "\(line.offset)", line.fate.rawValue, text])
    }
    return line.fate == .counted ? "\(text)\n" : "\(text)  (\(line.fate.rawValue))\n"
  }

  /// The fields that are numbers; a hash may look like one.
  private static let numbered: Set = ["photos", "size", "attempt", "after", "until"]

  private static func object(_ line: JournalLook.Line) -> JSONObject {
    var object = JSONObject([
      "file": .string(line.file), "offset": .count(line.offset),
      "fate": .string(line.fate.rawValue),
    ])
    let words = line.text.split(separator: " ")
    guard line.fate != .damaged, words.count > 2, let sequence = UInt64(words[0]) else {
      object["text"] = .string(line.text)
      return object
    }
    object["sequence"] = .count(sequence)
    if let time = UInt64(words[1].filter { $0 != "." }) { object["time"] = .count(time) }
    object["kind"] = .string(String(words[2]))
    let rest = words.dropFirst(3)
    let numbers = rest.prefix { !$0.contains("=") }.compactMap { UInt64($0) }
    if let list = numbers.first { object["list"] = .count(list) }
    if numbers.count > 1 { object["photo"] = .count(numbers[1]) }
    for word in rest.dropFirst(numbers.count) {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let (key, value) = (String(parts[0]), String(parts[1]))
      object[key] = numbered.contains(key) ? UInt64(value).map { .count($0) } : .string(value)
    }
    return object
  }

  // MARK: stat

  private func numbers(_ look: JournalLook) -> JSONObject {
    let ledger = look.newest.ledger
    let photos = ledger.lists.values.reduce(0 as UInt64) { $0 + $1.counts.total }
    let bytes = look.files.reduce(0 as UInt64) { $0 + $1.bytes }
    var object = JSONObject([
      "state": .string(look.newest.stateID), "generation": .count(look.newest.generation),
      "sequence": .count(look.newest.sequence), "nextList": .count(ledger.nextList.number),
      "lists": .int(Int64(ledger.lists.count)), "openLists": .int(Int64(ledger.open.lists)),
      "photos": .count(photos), "openPhotos": .int(Int64(ledger.open.photos)),
      "refused": .count(ledger.refused), "bytes": .count(bytes),
      "damageCount": .int(Int64(look.damageCount)), "missing": .count(look.missing),
    ])
    for file in look.files { object[file.name] = .count(file.bytes) }
    for (kind, count) in look.kinds.sorted(by: { $0.key < $1.key }) {
      object["records.\(kind)"] = .count(count)
    }
    return object
  }

  private func table(_ object: JSONObject) -> String {
    let rows = object.members.map { member in
      (member.name, JSONWriter.text(member.value).replacing("\"", with: ""))
    }
    guard voice.screen.isTerminal else {
      return rows.map { TextTable.plain([$0.0, $0.1]) }.joined()
    }
    var table = TextTable([.init("NAME"), .init("VALUE", isRight: true)])
    for row in rows { table.add([.init(row.0), .init(row.1)]) }
    return table.text(voice.screen)
  }
}

extension JournalLook {
  /// Whole records in all files.
  fileprivate var records: UInt64 { kinds.values.reduce(0, +) }
}
