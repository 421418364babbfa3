// SPDX-License-Identifier: Apache-2.0
// The object behind expat's callbacks, for one document: a callback finds it by the parser's user data, passes
// its arguments on, and stops the parser at the first error. Swift errors never pass through C frames.

internal import CExpat

/// The handlers, without the type of their errors. They return false to end the reading.
protocol MarkupTarget: AnyObject {
  func open(_ name: Span<UInt8>, _ hasAttributes: Bool, _ line: UInt64) -> Bool
  func text(_ bytes: Span<UInt8>, _ line: UInt64) -> Bool
  func close(_ line: UInt64) -> Bool
}

/// Concurrency model: belongs to one `read`, on its thread; never shared. Safe: `read` keeps the parser and
/// this object alive as long as expat may call back.
@safe final class MarkupContext {
  private let parser: XML_Parser
  private let target: any MarkupTarget
  /// A refusal of XML that expat would accept.
  private(set) var trouble: MarkupFault?
  /// Expat may still call back after a stop.
  private var isStopped = false

  init(of parser: XML_Parser, _ target: any MarkupTarget) {
    unsafe self.parser = parser
    self.target = target
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    // Expat would ask the kernel for a salt, which a sandbox may refuse; Swift's hash seed replaces it.
    unsafe XML_SetHashSalt(parser, UInt(bitPattern: Hasher().finalize()) | 1)
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        unsafe MarkupContext.with(context) { unsafe $0.opened(name, attributes) }
      },
      { context, _ in
        unsafe MarkupContext.with(context) { context in
          context.go(on: context.target.close(context.line))
        }
      })
    unsafe XML_SetCharacterDataHandler(parser) { context, bytes, count in
      unsafe MarkupContext.with(context) { unsafe $0.read(bytes, count) }
    }
    unsafe Self.refuseEntities(of: parser)
  }

  /// An entity is declared in a DOCTYPE, which is refused before its first declaration. With a DTD that is
  /// not fetched, expat skips an unknown entity silently: the last handler refuses it.
  private static func refuseEntities(of parser: XML_Parser) {
    unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasSubset in
      guard hasSubset != 0 else { return }
      unsafe MarkupContext.with(context) {
        $0.refuse(.declaration, "the DOCTYPE contains declarations")
      }
    }
    unsafe XML_SetSkippedEntityHandler(parser) { context, _, _ in
      unsafe MarkupContext.with(context) {
        $0.refuse(.entity, "it uses an entity that XML does not define")
      }
    }
  }

  private static func with(
    _ context: UnsafeMutableRawPointer?, _ act: (MarkupContext) -> Void
  ) {
    if let context = unsafe context {
      unsafe Unmanaged<MarkupContext>.fromOpaque(context)._withUnsafeGuaranteedRef {
        if !$0.isStopped { act($0) }
      }
    }
  }

  private var line: UInt64 { unsafe UInt64(XML_GetCurrentLineNumber(parser)) }

  private func go(on isWanted: Bool) {
    if isWanted { return }
    isStopped = true
    unsafe _ = XML_StopParser(parser, 0)
  }

  private func refuse(_ kind: MarkupFault.Kind, _ words: String) {
    trouble = unsafe MarkupFault(kind, at: parser, words)
    go(on: false)
  }

  private func opened(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    if let name = unsafe name {
      var count = 0
      while unsafe name[count] != 0 { count += 1 }
      let bytes = unsafe UnsafeRawBufferPointer(start: name, count: count).bindMemory(
        to: UInt8.self)
      go(on: target.open(unsafe bytes.span, unsafe attributes?[0] != nil, line))
    }
  }

  private func read(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
    if let bytes = unsafe bytes {
      let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
      let piece = unsafe buffer.bindMemory(to: UInt8.self)
      go(on: target.text(unsafe piece.span, line))
    }
  }
}
