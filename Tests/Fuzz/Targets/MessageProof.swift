// SPDX-License-Identifier: Apache-2.0
// Messages on the control socket: a value, a request, a call or a reply that is written again reads
// the same, and messages do not depend on the pieces in which they arrive.

import Steer
import Vocabulary

enum MessageProof {
  private static let size = ControlLimits().request
  private static let limits = JSONReader.Limits(bytes: size, depth: 16, values: 4096)

  static func run(_ bytes: [UInt8]) {
    checkValue(bytes)
    let whole = frames(bytes, piece: max(bytes.count, 1))
    must(frames(bytes, piece: 1) == whole, "one byte at a time makes other messages")
    must(frames(bytes, piece: 7) == whole, "seven bytes at a time make other messages")
    for message in (whole ?? []) + [bytes] { checkMessage(message) }
  }

  private static func checkValue(_ bytes: [UInt8]) {
    guard let value = try? JSONReader.read(bytes, limits: limits) else { return }
    let text = JSONWriter.bytes(value)
    must(FailureProof.isPlain(String(decoding: text, as: UTF8.self)), "control characters in JSON")
    guard let again = try? JSONReader.read(text) else { fatalError("our own JSON was refused") }
    must(again == value, "a JSON value does not come back as it was")
    must(JSONWriter.bytes(again) == text, "the same value, and other text")
  }

  /// The messages in the bytes; nil if one is too long.
  private static func frames(_ bytes: [UInt8], piece: Int) -> [[UInt8]]? {
    var frames = MessageFrames(limit: size)
    var messages: [[UInt8]] = []
    var rest = bytes[...]
    do {
      while !rest.isEmpty {
        frames.append(Array(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
        while let message = try frames.next() { messages.append(message) }
      }
    } catch { return nil }
    return messages
  }

  private static func checkMessage(_ bytes: [UInt8]) {
    if let request = try? ControlRequest(reading: bytes) {
      let written = request.bytes
      must(written.last == 0 && !written.dropLast().contains(0), "a NUL within a message")
      must(
        (try? ControlRequest(reading: written.dropLast())) == request,
        "a request changed on its way")
      for method in ControlInterface.methods { checkCall(of: method, request.parameters) }
    }
    guard let answer = try? ControlAnswer(reading: bytes) else { return }
    for method in ControlInterface.methods { checkReply(to: method, answer.parameters) }
  }

  private static func checkCall<Method: ControlMethod>(
    of method: Method.Type, _ parameters: JSONObject
  ) {
    guard let call = try? Method(request: parameters) else { return }
    must((try? Method(request: call.object)) == call, "a call changed on its way")
  }

  private static func checkReply<Method: ControlMethod>(
    to method: Method.Type, _ parameters: JSONObject
  ) {
    guard let reply = try? Method.Answer(parameters) else { return }
    must((try? Method.Answer(reply.object)) == reply, "a reply changed on its way")
  }
}
