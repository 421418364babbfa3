// SPDX-License-Identifier: Apache-2.0
// A message has one table of fields: it writes the object, reads it, and describes it in varlink's language. Unknown
// members are ignored, so that both sides can add some. The texts of a request are short: lists, photos, hosts, tokens and
// viewers have names that are compared with many others. Raises `BadMessage`, which names the missing or invalid member.

package import Linux
internal import Vocabulary

/// A message, also as a member of another one.
package protocol MessageValue: MessagePart, Equatable {
  static var fields: [MessageField<Self>] { get }
  init()
  /// Checks what depends on several members.
  func check() throws(BadMessage)
  /// Goes beside a reply. Only the reply to `Picture` has one; every other message drops it.
  var openFile: LinuxFile? { get set }
}

package struct MessageField<Root: MessageValue>: Sendable {
  let name: String
  /// In varlink's language; a type that begins with `?` may be missing.
  let type: String
  fileprivate let write: @Sendable (Root, inout JSONObject) -> Void
  fileprivate let read: @Sendable (inout Root, MessageReader) throws(BadMessage) -> Void

  fileprivate var isOptional: Bool { type.utf8.first == UInt8(ascii: "?") }

  /// - Parameter type: in the description; if left out, the property has it.
  /// - Parameter isOptional: a missing member has the value of `init()`, and such a value is not sent.
  package init<Part: MessagePart>(
    _ name: String, _ path: any WritableKeyPath<Root, Part> & Sendable, _ type: String? = nil,
    isOptional: Bool = false, where isValid: @escaping @Sendable (Part) -> Bool = { _ in true }
  ) {
    self.name = name
    self.type = (isOptional ? "?" : "") + (type ?? Part.varlink)
    write = { root, object in
      let json = root[keyPath: path].json
      if isOptional, json == Root()[keyPath: path].json { return }
      object[name] = json
    }
    read = { (root, reader) throws(BadMessage) in
      let json = reader.object[name] ?? .null
      if isOptional, json == .null { return }
      let part = try Part(json, of: name, reader.longest)
      guard isValid(part) else { throw .member(name) }
      root[keyPath: path] = part
    }
  }

  fileprivate var words: String { "\(name): \(type)" }
}

private struct MessageReader {
  let object: JSONObject
  let longest: Int
}

extension MessageValue {
  package typealias Field = MessageField<Self>

  package init(_ fill: (inout Self) -> Void) {
    self.init()
    fill(&self)
  }

  /// Reads a reply.
  package init(_ object: JSONObject) throws(BadMessage) { try self.init(object, longest: .max) }

  /// Reads the parameters of a request.
  package init(request object: JSONObject) throws(ControlError) {
    do throws(BadMessage) { try self.init(object, longest: OutsideText.longest) } catch {
      throw .invalidParameter(error.member)
    }
  }

  private init(_ object: JSONObject, longest: Int) throws(BadMessage) {
    self.init()
    let reader = MessageReader(object: object, longest: longest)
    for field in Self.fields { try field.read(&self, reader) }
    try check()
  }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    guard let object = json.object else { throw .member(name) }
    try self.init(object, longest: longest)
  }

  package func check() throws(BadMessage) {}

  package var openFile: LinuxFile? {
    get { nil }
    set {}
  }

  /// Members that may be missing come last.
  package var object: JSONObject {
    var object = JSONObject()
    for field in Self.fields where !field.isOptional { field.write(self, &object) }
    for field in Self.fields where field.isOptional { field.write(self, &object) }
    return object
  }

  package var json: JSONValue? { .object(object) }

  package static var varlink: String { "\(Self.self)" }

  /// The fields in varlink's language, in one line.
  static var line: String { "(\(fields.map(\.words).joined(separator: ", ")))" }

  /// The same, with a line for each field.
  static var lines: String { "(\n  \(fields.map(\.words).joined(separator: ",\n  "))\n)" }
}
