// SPDX-License-Identifier: Apache-2.0
// Reads a dropped list and writes its catalog. Runs in the worker, the only place where lists are parsed.
// Memory grows with the list only in NameIndex and CatalogWriter. Raises the codes of ListRefusal,
// `list.memory`, and trouble with either file.

internal import Markup
package import Vocabulary

package enum ListReader {
  static let chunkSize = 64 << 10

  /// Reads the property list in `list` into `catalog`, a new file open for reading and writing. After an
  /// error the catalog is useless.
  package static func read(
    list: any OpenFile, catalog: any OpenFile, limits: ListLimits
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
      try readMarkup(list, from: start, size, MarkupListReader(builder, limits: limits))
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
    _ list: any OpenFile, from start: UInt64, _ size: UInt64, _ reader: consuming MarkupListReader
  ) throws(Failure) {
    var reader = reader
    let markup = MarkupReader<Failure>(
      open: { (name, hasAttributes, line) throws(Failure) in
        try reader.open(name, hasAttributes: hasAttributes, line: line)
      },
      text: { (bytes, line) throws(Failure) in try reader.text(bytes, line: line) },
      close: { (line) throws(Failure) in try reader.close(line: line) })
    var offset = start
    let error = try markup.read { () throws(Failure) in
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try list.read(at: offset, upTo: Int(min(UInt64(chunkSize), size - offset)))
      } catch { throw error.failure }
      offset += UInt64(bytes.count)
      return bytes
    }
    if let error {
      throw failure(
        error, around: context(list, at: start + error.offset), isDone: reader.isDone)
    }
    try reader.finish()
  }

  /// The bytes around an offset, for better advice on an error there.
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

  static func failure(
    _ error: MarkupError, around context: (before: [UInt8], after: [UInt8]), isDone: Bool
  ) -> Failure {
    let place = ListPlace.line(error.line)
    switch error.kind {
    case .truncated: return ListRefusal.truncated("\(place): \(error.words)")
    case .memory:
      return Failure(.machine, code: "list.memory", reason: error.words)
    case .oversized:
      return Failure(.final, code: "list.limit", reason: "\(place): \(error.words)")
    case .trailing:
      return ListRefusal.trailing(place, isList: FormatGuess.beginsList(context.after))
    case .entity:
      return ListRefusal.syntax(
        place, error.words, advice: "Write the character itself, and '&' as &amp;")
    case .malformed where isDone:
      return ListRefusal.trailing(place, isList: FormatGuess.beginsList(context.after))
    case .malformed where context.after.starts(with: "<?xml".utf8):
      return ListRefusal.malformed(error, advice: "Remove everything before '<?xml'")
    case .malformed:
      let isBare = hasBareAmpersand(context.before, context.after)
      return ListRefusal.malformed(
        error, advice: isBare ? "Write an '&' in a URL as &amp;" : "")
    }
  }

  /// True if an unescaped `&` is at the error or shortly before it.
  private static func hasBareAmpersand(_ before: [UInt8], _ after: [UInt8]) -> Bool {
    let ampersand = UInt8(ascii: "&")
    if after.first == ampersand { return !after.starts(with: "&#".utf8) }
    guard let last = before.lastIndex(of: ampersand) else { return false }
    return !before[last...].contains(UInt8(ascii: ";"))
  }
}
