// SPDX-License-Identifier: Apache-2.0
// Turns the elements of an XML property list into events. Strict: refuses unknown elements, attributes of any
// but <plist>, text between elements, and keys and values that do not alternate. Raises `list.syntax`,
// `list.format`, `list.limit`, and the errors of the builder.

package import Vocabulary

package struct MarkupListReader {
  private enum Container {
    case plist(hasValue: Bool)
    case array
    case dictionary(key: ListText?)
  }

  /// An open element that contains text.
  private struct Leaf {
    let element: ListElement
    let line: UInt64
  }

  private var builder: ListBuilder
  private let limits: ListLimits
  private var stack: [Container] = []
  private var leaf: Leaf?
  private var bytes: [UInt8] = []
  private var length: UInt64 = 0
  /// The root element was closed.
  package private(set) var isDone = false

  package init(_ builder: ListBuilder, limits: ListLimits) {
    self.builder = builder
    self.limits = limits
  }

  package mutating func open(
    _ name: Span<UInt8>, hasAttributes: Bool, line: UInt64
  ) throws(Failure) {
    guard let element = ListElement(name) else { throw unknown(name, line) }
    if let leaf { throw refuse(line, "<\(element)> inside <\(leaf.element)>") }
    guard let container = stack.last else { return try openRoot(element, line) }
    if hasAttributes {
      throw refuse(line, "<\(element)> has an attribute; only <plist> may have one")
    }
    try checkPlace(of: element, in: container, line)
    switch element {
    case .plist: throw refuse(line, "<plist> inside <plist>")
    case .dict: try openContainer(.dictionary(key: nil), .openDictionary, line)
    case .array: try openContainer(.array, .openArray, line)
    default:
      leaf = Leaf(element: element, line: line)
      bytes.removeAll(keepingCapacity: true)
      length = 0
    }
  }

  package mutating func text(_ piece: Span<UInt8>, line: UInt64) throws(Failure) {
    guard let leaf else {
      for index in piece.indices where !ListText.isSpace(piece[index]) {
        throw refuse(line, "there is text between the elements")
      }
      return
    }
    length += UInt64(piece.count)
    guard leaf.element.textless == nil else { return }
    let limit = Int(leaf.element == .key ? limits.keyBytes : limits.valueBytes)
    let taken = max(0, min(piece.count, limit - bytes.count))
    bytes.append(addingCapacity: taken) { room in
      for index in 0..<taken { room.append(piece[index]) }
    }
  }

  package mutating func close(line: UInt64) throws(Failure) {
    if let leaf { return try closeLeaf(leaf) }
    switch stack.popLast() {
    case .plist(let hasValue):
      guard hasValue else { throw refuse(line, "<plist> is empty") }
      isDone = true
    case .dictionary(let key):
      if let key { throw refuse(line, "the key \(key.shown) has no value") }
      try builder.take(.close, at: .line(line))
    case .array: try builder.take(.close, at: .line(line))
    case nil: throw refuse(line, "an end tag has no start tag")
    }
  }

  /// Call at the end of the document.
  package mutating func finish() throws(Failure) { try builder.finish() }

  private mutating func openRoot(_ element: ListElement, _ line: UInt64) throws(Failure) {
    guard element == .plist else {
      throw refuse(line, "it begins with <\(element)>; a property list begins with <plist>")
    }
    stack.append(.plist(hasValue: false))
  }

  private mutating func openContainer(
    _ container: Container, _ event: ListEvent, _ line: UInt64
  ) throws(Failure) {
    // One level more: <plist> itself is on the stack.
    guard stack.count <= ListForm.deepest else { throw ListRefusal.tooDeep(.line(line)) }
    stack.append(container)
    try builder.take(event, at: .line(line))
  }

  /// Checks that a key or a value is allowed here, and notes it.
  private mutating func checkPlace(
    of element: ListElement, in container: Container, _ line: UInt64
  ) throws(Failure) {
    let last = stack.count - 1
    switch container {
    case .plist(let hasValue):
      if hasValue { throw refuse(line, "<plist> has a second value") }
      if element == .key { throw refuse(line, "<key> outside <dict>") }
      stack[last] = .plist(hasValue: true)
    case .array:
      if element == .key { throw refuse(line, "<key> outside <dict>") }
    case .dictionary(nil):
      guard element == .key else { throw refuse(line, "<\(element)> has no <key> before it") }
    case .dictionary(let key?):
      if element == .key { throw refuse(line, "the key \(key.shown) has no value") }
      stack[last] = .dictionary(key: nil)
    }
  }

  private mutating func closeLeaf(_ leaf: Leaf) throws(Failure) {
    self.leaf = nil
    let place = ListPlace.line(leaf.line)
    if let event = leaf.element.textless { return try builder.take(event, at: place) }
    let text = ListText(bytes, length: length)
    switch leaf.element {
    case .key:
      stack[stack.count - 1] = .dictionary(key: text)
      try builder.take(.key(text), at: place)
    case .string: try builder.take(.string(text), at: place)
    // <integer>: containers have no leaf.
    default: try builder.take(.integer(text.trimmed), at: place)
    }
  }

  private func unknown(_ name: Span<UInt8>, _ line: UInt64) -> Failure {
    var bytes: [UInt8] = []
    for index in 0..<min(name.count, 40) { bytes.append(name[index]) }
    let shown = Printable.text(bytes)
    guard stack.isEmpty else {
      return refuse(line, "<\(shown)> is not an element of a property list")
    }
    if shown == "html" || shown == "HTML" { return ListRefusal.format("it is an HTML page") }
    return ListRefusal.format("it is XML, but begins with <\(shown)>, not with <plist>")
  }

  private func refuse(_ line: UInt64, _ words: String) -> Failure {
    ListRefusal.syntax(.line(line), words)
  }
}
