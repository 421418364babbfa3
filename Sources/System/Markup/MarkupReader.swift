// SPDX-License-Identifier: Apache-2.0
// XML as a stream: bytes in, elements and text out, in document order. Memory does not grow with the
// document; the reader does not recurse, fetches nothing, and expands only XML's five built-in entities.
// Raises the errors of the handlers and of the source of bytes; for a document that is not such XML it
// returns a `MarkupFault`.

internal import CExpat

package struct MarkupReader<Problem: Error> {
  /// Expat keeps an incomplete token in memory and may scan it again with each piece.
  package static var longestToken: UInt64 { 1 << 20 }

  private let handlers: MarkupHandlers<Problem>

  /// `open` gets an element's name and whether it has attributes; `text` gets a text in one or more
  /// pieces. The last argument is the line, from 1. A thrown error ends the reading.
  package init(
    open: @escaping (Span<UInt8>, Bool, UInt64) throws(Problem) -> Void,
    text: @escaping (Span<UInt8>, UInt64) throws(Problem) -> Void,
    close: @escaping (UInt64) throws(Problem) -> Void
  ) {
    handlers = MarkupHandlers(open: open, text: text, close: close)
  }

  /// Reads one document; `next` returns its bytes piece by piece, and no bytes at the end. `isUTF8` overrides
  /// the encoding that the document declares. Nil if the document was read to its end.
  package func read(
    isUTF8: Bool = false, next: () throws(Problem) -> [UInt8]
  ) throws(Problem) -> MarkupFault? {
    try unsafe read(with: XML_ParserCreate(isUTF8 ? "UTF-8" : nil), next: next)
  }

  /// Frees the parser, which is nil if there was no memory for it.
  func read(
    with parser: XML_Parser?, next: () throws(Problem) -> [UInt8]
  ) throws(Problem) -> MarkupFault? {
    guard let parser = unsafe parser else {
      return MarkupFault(kind: .memory, line: 1, column: 1, offset: 0, words: MarkupFault.noMemory)
    }
    defer { unsafe XML_ParserFree(parser) }
    let context = unsafe MarkupContext(of: parser, handlers)
    defer { withExtendedLifetime(context) {} }
    var fed: UInt64 = 0
    var bytes: [UInt8]
    repeat {
      bytes = try next()
      fed += UInt64(bytes.count)
      let status = unsafe bytes.withUnsafeBytes { raw in
        unsafe XML_Parse(
          parser, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count),
          bytes.isEmpty ? 1 : 0)
      }
      if let failure = handlers.failure { throw failure }
      if let trouble = context.trouble { return trouble }
      if status != XML_STATUS_OK { return unsafe Self.trouble(of: parser) }
      let reached = UInt64(max(0, unsafe XML_GetCurrentByteIndex(parser)))
      if !bytes.isEmpty, fed > reached, fed - reached > Self.longestToken {
        return unsafe MarkupFault(
          .oversized, at: parser, "a tag or comment is longer than 1 MiB")
      }
    } while !bytes.isEmpty
    return nil
  }

  private static func trouble(of parser: XML_Parser) -> MarkupFault {
    let code = unsafe XML_GetErrorCode(parser)
    switch code {
    case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
      XML_ERROR_UNCLOSED_CDATA_SECTION:
      return unsafe MarkupFault(.truncated, at: parser, "the file ends in the middle")
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
      return unsafe MarkupFault(.trailing, at: parser, "something follows the end")
    case XML_ERROR_UNDEFINED_ENTITY, XML_ERROR_PARAM_ENTITY_REF:
      return unsafe MarkupFault(.entity, at: parser, "it uses an entity that XML does not define")
    case XML_ERROR_NO_MEMORY:
      return unsafe MarkupFault(.memory, at: parser, MarkupFault.noMemory)
    default:
      let words = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "unknown error"
      return unsafe MarkupFault(.malformed, at: parser, "it is not well-formed XML (\(words))")
    }
  }
}

extension MarkupFault {
  static let noMemory = "no memory is left to read it"

  init(_ kind: Kind, at parser: XML_Parser, _ words: String) {
    self.init(
      kind: kind, line: unsafe UInt64(XML_GetCurrentLineNumber(parser)),
      column: unsafe UInt64(XML_GetCurrentColumnNumber(parser)) + 1,
      offset: unsafe UInt64(max(0, XML_GetCurrentByteIndex(parser))), words: words)
  }
}
