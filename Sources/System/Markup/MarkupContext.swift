// SPDX-License-Identifier: Apache-2.0
// The object behind expat's callbacks: a callback finds it by the parser's user data, passes its arguments
// on, and stops the parser at the first error. Swift errors never pass through C frames.

internal import CExpat

/// Concurrency model: belongs to one `read` at a time, on its thread; never shared. Safe: it refers to the
/// parser only from `attach` to `detach`, while `read` keeps the parser alive.
@safe class MarkupContext {
  private var parser: XML_Parser?
  /// A refusal of XML that expat would accept.
  private(set) var trouble: MarkupError?
  /// Expat may still call back after a stop.
  private var isStopped = false

  /// Subclasses (`MarkupHandlers`) override the three methods; they know the type of the errors.
  func open(_ name: Span<UInt8>, _ hasAttributes: Bool, _ line: UInt64) {}
  func text(_ bytes: Span<UInt8>, _ line: UInt64) {}
  func close(_ line: UInt64) {}

  /// The parser must be freed or detached before this object is freed.
  final func attach(to parser: XML_Parser) {
    unsafe self.parser = parser
    trouble = nil
    isStopped = false
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    // Expat would ask the kernel for a salt, which a sandbox may refuse; Swift's hash seed replaces it.
    unsafe XML_SetHashSalt(parser, UInt(bitPattern: Hasher().finalize()) | 1)
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        unsafe MarkupContext.with(context) { unsafe $0.opened(name, attributes) }
      },
      { context, _ in unsafe MarkupContext.with(context) { $0.closed() } })
    unsafe XML_SetCharacterDataHandler(parser) { context, bytes, count in
      unsafe MarkupContext.with(context) { unsafe $0.read(bytes, count) }
    }
    unsafe refuseEntities(of: parser)
  }

  final func detach() { unsafe parser = nil }

  /// With a DTD that is not fetched, expat skips an unknown entity silently: the last handler refuses it.
  private final func refuseEntities(of parser: XML_Parser) {
    unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasSubset in
      guard hasSubset != 0 else { return }
      unsafe MarkupContext.with(context) { $0.refuse("the DOCTYPE contains declarations") }
    }
    unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      unsafe MarkupContext.with(context) { $0.refuse("it declares an entity") }
    }
    unsafe XML_SetSkippedEntityHandler(parser) { context, _, _ in
      unsafe MarkupContext.with(context) { $0.refuse("it uses an entity that XML does not define") }
    }
  }

  private static func with(
    _ context: UnsafeMutableRawPointer?, _ act: (MarkupContext) -> Void
  ) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<MarkupContext>.fromOpaque(context)._withUnsafeGuaranteedRef(act)
  }

  private var line: UInt64 {
    unsafe parser.map { unsafe UInt64(XML_GetCurrentLineNumber($0)) } ?? 0
  }

  final func stop() {
    isStopped = true
    if let parser = unsafe parser { unsafe _ = XML_StopParser(parser, 0) }
  }

  private final func refuse(_ words: String) {
    guard !isStopped, let parser = unsafe parser else { return }
    trouble = unsafe MarkupError(.entity, at: parser, words)
    stop()
  }

  private final func opened(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard !isStopped, let name = unsafe name else { return }
    var count = 0
    while unsafe name[count] != 0 { count += 1 }
    let hasAttributes = unsafe attributes.map { unsafe $0[0] != nil } ?? false
    let bytes = unsafe UnsafeRawBufferPointer(start: name, count: count).bindMemory(to: UInt8.self)
    unsafe open(bytes.span, hasAttributes, line)
  }

  private final func read(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
    guard !isStopped, let bytes = unsafe bytes else { return }
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
    let piece = unsafe buffer.bindMemory(to: UInt8.self)
    unsafe text(piece.span, line)
  }

  private final func closed() {
    guard !isStopped else { return }
    close(line)
  }
}
