// SPDX-License-Identifier: Apache-2.0
// `verify`: compares the prints of a list with the record, which the daemon has, or a results file of `darkroomd run`.
// Reads the prints itself, with the rights of its caller, or lets the daemon read those in a store; page by page, so
// that a long list is never in memory.
// Changes nothing. Raises `ControlFailure`.

internal import Digests
internal import Files
internal import Linux
package import Steer
internal import Vocabulary

package struct VerifyRun {
  /// A print as it is recorded.
  struct Recorded: Equatable {
    let number: UInt32
    let name: String
    let file: String
    let bytes: UInt64
    let sha256: String
  }

  /// Writes the findings that are not `asRecorded`, and counts all.
  private struct Account {
    private let voice: ToolVoice
    private let isJSON: Bool
    private let list: String
    private var counts: [PrintFinding.Kind: UInt64] = [:]
    /// The findings that were written, and the photos among them whose results are lost.
    private var told: UInt64 = 0
    private var unknown: UInt64 = 0

    init(_ list: String, _ voice: ToolVoice, isJSON: Bool) {
      (self.list, self.voice, self.isJSON) = (list, voice, isJSON)
      // The findings and the closing brackets follow.
      let head = JSONWriter.text(["list": .string(list), "differences": []])
      if isJSON { voice.say(String(head.dropLast(2))) }
    }

    private subscript(kind: PrintFinding.Kind) -> UInt64 { counts[kind] ?? 0 }
    var all: UInt64 { counts.values.reduce(0, +) }

    mutating func note(_ finding: PrintFinding, _ print: Recorded) {
      counts[finding.kind, default: 0] += 1
      if finding.kind != .asRecorded { tell(finding, print) }
    }

    /// The photo may have had a print: `end` counts.
    mutating func noteUnknown(_ photo: Recorded, _ why: String) {
      unknown += 1
      tell(PrintFinding(.lost, why: why), photo)
    }

    private mutating func tell(_ finding: PrintFinding, _ print: Recorded) {
      defer { told += 1 }
      let (kind, why) = (finding.kind.rawValue, Printable.sentence(finding.why))
      if isJSON {
        let object: JSONValue = [
          "photo": .count(print.number), "name": .string(print.name),
          "print": .string(print.file), "finding": .string(kind),
          "reason": .string(why),
        ]
        voice.say((told == 0 ? "" : ",") + JSONWriter.text(object))
      } else if voice.screen.isTerminal {
        let text =
          "\(kind): \(Printable.text(print.file)) (photo \(print.number)): \(why)"
        voice.say(Prose.folded(text, voice.screen, indent: 2) + "\n")
      } else {
        voice.say(
          TextTable.plain([
            kind, "\(print.number)", Printable.text(print.name),
            Printable.text(print.file), why,
          ]))
      }
    }

    /// Prints that the record counts and that no result is left of. Tells if they are not as many as the photos that
    /// were named.
    private mutating func noteLost(_ prints: UInt64) {
      counts[.lost, default: 0] += prints
      guard !isJSON, voice.screen.isTerminal, prints != unknown else { return }
      let text =
        prints > unknown
        ? "lost: \(Amounts.counted(prints - unknown, "print")): no result is left that names the photo"
        : "\(prints) of the \(Amounts.counted(unknown, "photo")) without a result had a print"
      voice.say(Prose.folded(text, voice.screen, indent: 2) + "\n")
    }

    func progress(of total: UInt32?) {
      voice.progress(["\(all)\(total.map { " of \($0)" } ?? "") prints compared"], over: 1)
    }

    /// - Parameter recorded: the prints that the record counts, or more.
    mutating func end(_ recorded: UInt64 = 0) -> ExitCode {
      voice.progress([""], over: 1)
      if recorded > all { noteLost(recorded - all) }
      if isJSON {
        let numbers = PrintFinding.Kind.allCases.map { "\"\($0.rawValue)\":\(self[$0])" }
        voice.say("],\(numbers.joined(separator: ","))}\n")
      } else if voice.screen.isTerminal {
        let bad = all - self[.asRecorded]
        let words =
          bad == 0
          ? "\(Amounts.counted(all, "print")), as recorded"
          : "\(bad) of \(Amounts.counted(all, "print")) not as recorded"
        voice.say("\(Printable.text(list)): \(words).\n")
      } else {
        voice.say(
          TextTable.plain(
            ["list", Printable.text(list)] + PrintFinding.Kind.allCases.map { "\(self[$0])" }))
      }
      if self[.unreadable] + self[.lost] > 0 { return .usage }
      return all == self[.asRecorded] ? .done : .failed
    }
  }

  private let talk: DaemonTalk
  private var voice: ToolVoice { talk.voice }

  package init(_ talk: DaemonTalk) { self.talk = talk }

  package func run(_ list: ListReference) throws(ControlFailure) -> ExitCode {
    if list.text.contains("/") || list.text.hasSuffix(".jsonl") { return run(file: list.text) }
    var (order, recorded) = try order(list)
    var account: Account?
    if let end = try compare(order, &account) { return end }
    if let found = account?.all, found < recorded {
      // A list that is over has its prints in the rows of its results alone.
      (order.state, order.verifies, order.limit) = (.unknown, false, ShowOrder.highestLimit)
      if let end = try compare(order, &account) { return end }
    }
    return account?.end(recorded) ?? .done
  }

  /// Compares the photos of all pages; returns the exit code if there is nothing to compare with.
  private func compare(
    _ first: ShowOrder, _ account: inout Account?
  ) throws(ControlFailure) -> ExitCode? {
    var page: ShowOrder? = first
    var folder = Result<LinuxFolder?, SystemError>.success(nil)
    while let asked = page {
      let report = try talk.ask(asked)
      if report.list.end.printsExpired != nil {
        voice.complain(
          "print.expired", "the prints of \(ListText.name(report.list)) have expired (KeepPrints=)")
        return .failed
      }
      guard let prints = report.prints else {
        voice.complain(
          "print.elsewhere",
          "the prints of \(ListText.name(report.list)) are in a cluster, and Ledger= is not set")
        return .failed
      }
      if asked == first { folder = Self.folder(prints) }
      account = account ?? Account(report.list.name, voice, isJSON: talk.order.isJSON)
      for photo in report.photos {
        let print = Recorded(
          number: photo.number, name: photo.name, file: photo.print, bytes: photo.bytes,
          sha256: photo.sha256 ?? "")
        if photo.state == SeenState.unknown.name {
          let mayHaveFailed = report.list.failed > 0 ? "; the photo may have failed" : ""
          account?.noteUnknown(print, photo.reason + mayHaveFailed)
        } else if photo.sha256 == nil {
          account?.note(PrintFinding(.lost, why: photo.reason), print)
        } else if let finding = photo.finding ?? (asked.verifies ? Self.unread : nil) {
          account?.note(finding, print)
        } else {
          compare(print, in: folder, &account)
        }
      }
      account?.progress(of: report.list.filtered)
      page = report.page(after: asked)
    }
    return nil
  }

  private static let unread = PrintFinding(
    .unreadable, why: "it is in a store, and the daemon did not read it")

  /// For the first page, and the number of recorded prints. The daemon has the key to a store.
  private func order(
    _ list: ListReference
  ) throws(ControlFailure) -> (ShowOrder, recorded: UInt64) {
    let first = ShowOrder(list: list, limit: 1)
    let report = try talk.ask(first)
    let isStored = report.prints?.contains("://") == true
    var order = ShowOrder(
      list: list, limit: isStored ? ShowOrder.mostVerified : ShowOrder.highestLimit,
      state: .filtered)
    order.verifies = isStored
    return (order, UInt64(report.list.filtered))
  }

  // MARK: results of `darkroomd run`

  private func run(file path: String) -> ExitCode {
    do throws(Failure) {
      let file = try asFailure { () throws(SystemError) in try Surroundings.openNamed(path) }
      var lines = ResultLines(file)
      guard let head = try lines.next(), let list = head["list"]?.string,
        let prints = head["prints"]?.string
      else { throw ResultLines.damage(line: 1) }
      var account: Account? = Account(list, voice, isJSON: talk.order.isJSON)
      let folder = Self.folder(prints)
      while let object = try lines.next() {
        guard object["state"]?.string == PhotoState.filtered.name else { continue }
        guard let number = object["photo"]?.int.flatMap({ UInt32(exactly: $0) }),
          let name = object["name"]?.string, let print = object["print"]?.string,
          let bytes = object["bytes"]?.int.flatMap({ UInt64(exactly: $0) }),
          let sha256 = object["sha256"]?.string
        else { throw ResultLines.damage(line: lines.number) }
        compare(
          Recorded(number: number, name: name, file: print, bytes: bytes, sha256: sha256),
          in: folder, &account)
        if lines.number % 1000 == 0 { account?.progress(of: nil) }
      }
      return account?.end() ?? .done
    } catch {
      voice.complain(error.code, "Could not read \(Printable.text(path)): \(error.words)")
      return .usage
    }
  }

  // MARK: prints

  /// Nil if it is missing.
  private static func folder(_ path: String) -> Result<LinuxFolder?, SystemError> {
    do throws(SystemError) { return .success(try LinuxFolder.open(path: path)) } catch {
      return error.isMissing ? .success(nil) : .failure(error)
    }
  }

  private func compare(
    _ print: Recorded, in folder: Result<LinuxFolder?, SystemError>, _ account: inout Account?
  ) {
    do throws(SystemError) {
      account?.note(try Self.look(at: print, in: folder.get()), print)
    } catch {
      account?.note(PrintFinding(.unreadable, why: "\(error)"), print)
    }
  }

  static func look(
    at print: Recorded, in folder: LinuxFolder?
  ) throws(SystemError) -> PrintFinding {
    guard let name = FileName(print.file) else { return .notOfPrint }
    let file: LinuxFile
    do throws(SystemError) {
      guard let folder, try folder.status(of: name).kind == .file else {
        return folder == nil
          ? PrintFinding(.missing, why: "its folder does not exist")
          : PrintFinding(.changed, why: "it is not a file")
      }
      file = try folder.openFile(name, .read)
    } catch {
      guard error.isMissing else { throw error }
      return .missing
    }
    let size = try file.status().size
    guard size == print.bytes else { return .size(size, recorded: print.bytes) }
    return try FileCopy.digest(of: file, size: size).hex == print.sha256
      ? .asRecorded : .otherContents
  }
}
