// SPDX-License-Identifier: Apache-2.0
// A dropped list, from its bytes to its catalog. Runs in the worker: all that is in the list is
// parsed here and nowhere else. Memory does not grow with it but for the table of names
// (NameIndex). Raises the codes of ListRefusal, and trouble of the machine with either file.

package import Vocabulary

package enum ListReader {
  static let chunkSize = 64 << 10

  /// Reads the property list in `list` into `catalog`, a new file open for reading and writing.
  /// After an error the catalog holds nothing of use.
  package static func read(
    list: any OpenFile, catalog: any OpenFile, limits: ListLimits, xml: any MarkupSource
  ) throws(Failure) {
    let size: UInt64
    let head: [UInt8]
    do throws(SystemError) {
      size = try list.status().size
      head = try list.read(at: 0, upTo: FormatGuess.headSize)
    } catch { throw error.failure }
    guard size <= limits.size else { throw ListRefusal.tooLarge(size, limit: limits.size) }
    switch FormatGuess(head) {
    case .xml(let start):
      let builder = try ListBuilder(catalog: catalog, limits: limits)
      let listener = ListListener(MarkupListReader(builder, limits: limits))
      try readMarkup(list, from: start, size, listener, xml)
      try listener.finish()
    case .binary:
      var builder = try ListBuilder(catalog: catalog, limits: limits)
      var reader = try BinaryListReader(list, size: size, limits: limits)
      while let (event, place) = try reader.next() { try builder.take(event, at: place) }
      try builder.finish()
    case .unfinished(let words): throw ListRefusal.truncated(words)
    case .other(let words): throw ListRefusal.format(words)
    }
  }

  private static func readMarkup(
    _ list: any OpenFile, from start: UInt64, _ size: UInt64, _ listener: ListListener,
    _ xml: any MarkupSource
  ) throws(Failure) {
    var offset = start
    let trouble = try xml.read(
      { () throws(Failure) in
        let bytes: [UInt8]
        do throws(SystemError) {
          bytes = try list.read(at: offset, upTo: Int(min(UInt64(chunkSize), size - offset)))
        } catch { throw error.failure }
        offset += UInt64(bytes.count)
        return bytes
      }, into: listener)
    guard let trouble else { return }
    throw failure(
      trouble, around: context(list, at: start + trouble.offset), isDone: listener.reader.isDone)
  }

  /// The bytes before and from an offset, for a better word on what is wrong there.
  private static func context(
    _ list: any OpenFile, at offset: UInt64
  ) -> (before: [UInt8], after: [UInt8]) {
    let start = offset - min(offset, 64)
    guard let bytes = try? list.read(at: start, upTo: Int(offset - start) + 16) else {
      return ([], [])
    }
    let split = min(bytes.count, Int(offset - start))
    return (Array(bytes[..<split]), Array(bytes[split...]))
  }

  private static func failure(
    _ trouble: MarkupTrouble, around context: (before: [UInt8], after: [UInt8]), isDone: Bool
  ) -> Failure {
    let place = ListPlace.line(trouble.line)
    switch trouble.kind {
    case .truncated: return ListRefusal.truncated("\(place): \(trouble.words)")
    case .memory:
      return Failure(.machine, code: "list.memory", reason: trouble.words)
    case .oversized:
      return Failure(.final, code: "list.limit", reason: "\(place): \(trouble.words)")
    case .trailing:
      return ListRefusal.trailing(place, isList: FormatGuess.beginsList(context.after))
    case .entity:
      return ListRefusal.syntax(
        place, trouble.words, advice: "Write the character itself; '&' is written &amp;")
    case .malformed where isDone:
      return ListRefusal.trailing(place, isList: FormatGuess.beginsList(context.after))
    case .malformed where context.after.starts(with: "<?xml".utf8):
      return ListRefusal.malformed(trouble, advice: "Nothing may stand before '<?xml'")
    case .malformed:
      let isBare = hasBareAmpersand(context.before, context.after)
      return ListRefusal.malformed(
        trouble, advice: isBare ? "An '&' in a URL is written &amp;" : "")
    }
  }

  /// Whether an `&` that begins nothing stands at the trouble or shortly before.
  private static func hasBareAmpersand(_ before: [UInt8], _ after: [UInt8]) -> Bool {
    let ampersand = UInt8(ascii: "&")
    if after.first == ampersand { return !after.starts(with: "&#".utf8) }
    guard let last = before.lastIndex(of: ampersand) else { return false }
    return !before[last...].contains(UInt8(ascii: ";"))
  }
}
