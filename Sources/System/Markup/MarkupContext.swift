// SPDX-License-Identifier: Apache-2.0
// What stands behind expat's callbacks: they find this object by the parser's user data, hand over
// what they got, and stop the parser at the first error. Swift errors never pass through C frames.

internal import CExpat

/// Concurrency model: belongs to one `read` at a time, on its thread; never shared. Safe, because
/// the parser is held from `attach` to `detach` only, while `read` keeps it alive.
@safe class MarkupContext {
  private var parser: XML_Parser?
  /// What we refuse though expat would not.
  private(set) var trouble: MarkupError?
  /// Expat may still call back after it was told to stop.
  private var isStopped = false

  /// The three are the heirs' (`MarkupHandlers`), which know the type of the errors.
  func open(_ name: Span<UInt8>, _ hasAttributes: Bool, _ line: UInt64) {}
  func text(_ bytes: Span<UInt8>, _ line: UInt64) {}
  func close(_ line: UInt64) {}

  /// The parser must end before this object does, or be detached.
  final func attach(to parser: XML_Parser) {
    unsafe self.parser = parser
    trouble = nil
    isStopped = false
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    // Expat would ask the kernel for its salt, which a sandbox may refuse; Swift has one already.
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

  /// With a DTD that is never fetched, an unknown entity would silently become nothing: hence the
  /// handler of skipped ones.
  private final func refuseEntities(of parser: XML_Parser) {
    unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasSubset in
      guard hasSubset != 0 else { return }
      unsafe MarkupContext.with(context) { $0.refuse("the DOCTYPE declares something of its own") }
    }
    unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      unsafe MarkupContext.with(context) { $0.refuse("an entity is declared") }
    }
    unsafe XML_SetSkippedEntityHandler(parser) { context, _, _ in
      unsafe MarkupContext.with(context) { $0.refuse("an entity is used that XML does not define") }
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
