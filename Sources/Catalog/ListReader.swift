// SPDX-License-Identifier: Apache-2.0
// Reads a dropped list and writes its catalog. Runs in the worker, the only place where lists are parsed.
// Memory grows with the list only in NameIndex and CatalogWriter. Raises the codes of ListRefusal,
// `list.memory`, and trouble with either file.

internal import Markup
package import Vocabulary

package enum ListReader {
  /// Reads the list in `list` into `catalog`, a new file open for reading and writing. After an error the
  /// catalog is useless.
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
    let start = UInt64(ListEncoding.markSize(head))
    let encoding = ListEncoding(head)
    func builder(_ spelling: KeySpelling) throws(Failure) -> ListBuilder {
      try ListBuilder(catalog: catalog, limits: limits, spelling: spelling)
    }
    func source(_ encoding: ListEncoding?) -> ListSource {
      ListSource(list, from: start, size: size, encoding: encoding)
    }
    switch FormatGuess(head) {
    case .xml:
      // expat checks UTF-8 itself, and knows the other encodings that a document may declare.
      let decoded = encoding == .utf8 ? nil : encoding
      try readMarkup(source(decoded), MarkupListReader(builder(.exact), limits: limits))
    case .binary:
      var builder = try builder(.exact)
      var reader = try BinaryListReader(list, size: size, limits: limits)
      while let (event, place) = try reader.next() { try builder.take(event, at: place) }
      try builder.finish()
    case .json:
      var reader = try JSONListReader(source(encoding), builder(.usual), limits: limits)
      try reader.read()
    case .lines:
      var reader = try LineListReader(source(encoding), builder(.usual), limits: limits)
      do throws(Failure) { try reader.read() } catch {
        throw ListRefusal.ofLines(
          error, advice: "Write one URL a line; a line that begins with # is a comment")
      }
    case .table(let separator):
      var reader = try TableListReader(
        source(encoding), separator: separator, builder(.usual), limits: limits)
      do throws(Failure) { try reader.read() } catch {
        throw ListRefusal.ofLines(
          error, advice: "Write one photo a line, below the names of the columns")
      }
    case .unfinished(let words): throw ListRefusal.truncated(words)
    case .other(let words, let advice): throw ListRefusal.format(words, advice: advice)
    }
  }

  private static func readMarkup(
    _ source: ListSource, _ reader: consuming MarkupListReader
  ) throws(Failure) {
    var source = source
    var reader = reader
    let markup = MarkupReader<Failure>(
      open: { (name, hasAttributes, line) throws(Failure) in
        try reader.open(name, hasAttributes: hasAttributes, line: line)
      },
      text: { (bytes, line) throws(Failure) in try reader.text(bytes, line: line) },
      close: { (line) throws(Failure) in try reader.close(line: line) })
    var end: UInt64 = 0
    var last: [UInt8] = []
    let error = try markup.read(isUTF8: source.isDecoded) { () throws(Failure) in
      let piece = try source.next()
      if !piece.isEmpty { last = piece }
      end += UInt64(piece.count)
      return piece
    }
    if let error {
      throw failure(
        error, around: context(last, at: Int(end - min(end, error.offset))),
        isDone: reader.isDone)
    }
    try reader.finish()
  }

  /// The bytes around an error, for better advice: the bytes of the last piece before and after the place that many
  /// bytes before its end.
  private static func context(
    _ piece: [UInt8], at distance: Int
  ) -> (before: [UInt8], after: [UInt8]) {
    let place = max(0, piece.count - distance)
    return (Array(piece[..<place].suffix(64)), Array(piece[place...].prefix(16)))
  }

  static func failure(
    _ error: MarkupFault, around context: (before: [UInt8], after: [UInt8]), isDone: Bool
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
    case .declaration:
      return ListRefusal.syntax(
        place, error.words, advice: "Remove the part of the DOCTYPE in square brackets")
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
