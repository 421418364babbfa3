// SPDX-License-Identifier: Apache-2.0
// Varlink's two messages, request and reply: JSON, ended by a NUL. Raises `BadMessage`.

internal import JSON
internal import Linux
internal import Vocabulary

package struct ControlRequest: Equatable, Sendable {
  package var method: String
  package var parameters: JSONObject
  /// The caller accepts several replies.
  package var more: Bool
  /// No reply is wanted.
  package var oneway: Bool

  package init(
    method: String, parameters: JSONObject = JSONObject(), more: Bool = false,
    oneway: Bool = false
  ) {
    self.method = method
    self.parameters = parameters
    self.more = more
    self.oneway = oneway
  }

  package init(_ call: any ControlMethod, more: Bool = false, view: String? = nil) {
    var parameters = call.object
    parameters["view"] = view.map { .string($0) }
    self.init(
      method: "\(ControlInterface.name).\(type(of: call).name)", parameters: parameters, more: more)
  }

  package init(reading bytes: [UInt8]) throws(BadMessage) {
    let object = try ControlMessage.object(bytes, ControlLimits.ofRequest)
    guard let method = object["method"]?.string else {
      throw BadMessage(why: "it does not name a method")
    }
    guard method.utf8.count <= OutsideText.longest else {
      throw BadMessage(why: "the name of its method is too long")
    }
    self.init(
      method: method, parameters: try ControlMessage.parameters(object),
      more: try ControlMessage.flag("more", object),
      oneway: try ControlMessage.flag("oneway", object))
  }

  package var bytes: [UInt8] {
    var object = JSONObject(["method": .string(method), "parameters": .object(parameters)])
    if more { object["more"] = true }
    if oneway { object["oneway"] = true }
    return JSONWriter.bytes(.object(object)) + [0]
  }
}

package struct ControlAnswer: Equatable, Sendable {
  package var parameters: JSONObject
  /// Another reply to the same request follows.
  package var continues: Bool
  package var error: String?

  package init(parameters: JSONObject, continues: Bool = false, error: String? = nil) {
    self.parameters = parameters
    self.continues = continues
    self.error = error
  }

  package init(_ reply: ControlReply, continues: Bool = false) {
    switch reply {
    case .answer(let message): self.init(parameters: message.object, continues: continues)
    case .failed(let error): self.init(parameters: error.parameters, error: error.name)
    }
  }

  package init(reading bytes: [UInt8]) throws(BadMessage) {
    let object = try ControlMessage.object(bytes, JSONReader.Limits(bytes: .max, values: 1 << 20))
    self.init(
      parameters: try ControlMessage.parameters(object),
      continues: try ControlMessage.flag("continues", object), error: object["error"]?.string)
  }

  package var bytes: [UInt8] { bytes(upTo: .max) }

  /// Lists that are written in one turn.
  private static let listsAtOnce = 256

  /// The bytes of a reply. Many lists are written in several turns.
  static func bytes(of reply: ControlReply, continues: Bool, upTo limit: Int) async -> [UInt8] {
    guard let lists = reply.message(ListsReply.self)?.lists, lists.count > listsAtOnce else {
      return ControlAnswer(reply, continues: continues).bytes(upTo: limit)
    }
    let frame = ControlAnswer(.answer(ListsReply()), continues: continues).bytes
    let middle = frame.firstIndex(of: UInt8(ascii: "[")).map { $0 + 1 } ?? frame.count
    var bytes = Array(frame[..<middle])
    for start in stride(from: 0, to: lists.count, by: listsAtOnce) where bytes.count <= limit {
      if start > 0 {
        bytes.append(UInt8(ascii: ","))
        await giveWay()
      }
      let some = lists[start..<min(lists.count, start + listsAtOnce)]
      let text = JSONWriter.bytes(.array(some.map { .object($0.object) }))
      bytes += text.dropFirst().dropLast()
    }
    return bytes + frame[middle...]
  }

  /// If there are more than `limit`, they are cut off somewhere behind it.
  func bytes(upTo limit: Int) -> [UInt8] {
    var object = JSONObject()
    object["error"] = error.map { .string($0) }
    object["parameters"] = .object(parameters)
    if continues { object["continues"] = true }
    var bytes = JSONWriter.bytes(.object(object), upTo: limit)
    bytes.append(0)
    return bytes
  }
}

package struct BadMessage: Error, Equatable, Sendable {
  package let why: String
  /// The member that is missing or invalid; empty if the message as a whole is wrong.
  package let member: String

  package init(why: String) { (self.why, member) = (why, "") }

  private init(member: String) {
    (why, self.member) = ("'\(member)' is missing or invalid", member)
  }

  package static func member(_ name: String) -> BadMessage { BadMessage(member: name) }
}

/// Code shared by both messages.
enum ControlMessage {
  static func object(_ bytes: [UInt8], _ limits: JSONReader.Limits) throws(BadMessage)
    -> JSONObject
  {
    let value: JSONValue
    do throws(JSONSyntaxError) {
      value = try JSONReader.read(bytes, limits: limits)
    } catch {
      throw BadMessage(why: "it is not valid JSON: \(error)")
    }
    guard let object = value.object else { throw BadMessage(why: "it is not a JSON object") }
    return object
  }

  static func parameters(_ object: JSONObject) throws(BadMessage) -> JSONObject {
    switch object["parameters"] {
    case nil, .null: return JSONObject()
    case .object(let parameters): return parameters
    default: throw BadMessage(why: "its parameters are not an object")
    }
  }

  static func flag(_ name: String, _ object: JSONObject) throws(BadMessage) -> Bool {
    switch object[name] {
    case nil, .null: return false
    case .bool(let value): return value
    default: throw BadMessage(why: "its '\(name)' is neither true nor false")
    }
  }
}
