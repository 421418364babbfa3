// SPDX-License-Identifier: Apache-2.0
// No message stops the daemon: what a caller may send costs little processor time, on the main loop and in the thread
// that answers all users. Processor time of the thread, so that no test depends on the load of the machine.

import Steer
import Support
import Testing
import Vocabulary

@testable import Steer

@Suite struct StallTests {
  private static let most = Duration.milliseconds(50)
  private static let limit = ControlLimits().request
  private static let router = ControlRouter(version: "1")

  /// Every text of the interface.
  private static let fields = [
    "list", "photos", "photo", "viewer", "host", "token", "view", "text", "class", "state", "node",
    "interface",
  ]

  private func quoted(_ text: String) -> String { JSONWriter.text(.string(text)) }

  /// The cost of a message in the main loop, and in the thread of the calls.
  private func check(_ message: String, _ what: @autoclosure () -> String) {
    let bytes = Array(message.utf8.prefix(Self.limit)) + [0]
    let loop = ProcessorTime.cost {
      var session = ControlSession(requestLimit: Self.limit, at: .zero)
      session.receive(bytes, at: .zero)
      _ = session.nextMessage(at: .zero)
    }
    #expect(loop < Self.most, "the main loop takes \(loop) for \(what())")
    let quick = ProcessorTime.cost {
      guard let request = try? ControlRequest(reading: Array(bytes.dropLast())) else { return }
      _ = Self.router.route(request)
    }
    #expect(quick < Self.most, "the calls' thread takes \(quick) for \(what())")
  }

  @Test(arguments: HostileText.all)
  func `a field of any call costs little, at its limit and far above`(filler: HostileText) {
    for method in ControlInterface.methods.map({ "\(ControlInterface.name).\($0.name)" })
      + ["\(ControlInterface.service).GetInterfaceDescription"]
    {
      let members = Self.fields.map { name in
        let text = quoted(filler.text(OutsideText.longest))
        return "\"\(name)\":" + (name == "photos" ? "[\(text)]" : text)
      }
      check(
        "{\"method\":\"\(method)\",\"parameters\":{\(members.joined(separator: ","))}}",
        "\(filler) in all fields of \(method)")
    }
    for name in Self.fields {
      let text = quoted(filler.text(Self.limit - 200))
      for value in [text, "[\(text)]"] {
        check(
          "{\"method\":\"\(ControlInterface.name).Focus\",\"parameters\":{\"\(name)\":\(value)}}",
          "\(filler) in the whole message, as \(name)")
      }
    }
  }

  @Test(arguments: HostileText.all)
  func `the form of a message costs little`(filler: HostileText) {
    let long = quoted(filler.text(Self.limit - 400))
    let short = filler.text(16)
    let names = (0..<2000).map { "\(quoted("\($0)\(short)")):0" }.joined(separator: ",")
    let few = (0..<20).map { "\"\($0)\":0" }.joined(separator: ",")
    let head = "{\"method\":\"a.b\",\"parameters\":"
    let open = String(repeating: "[", count: Self.limit)
    for (what, message) in [
      ("a method", "{\"method\":\(long)}"), ("one name", "\(head){\(long):0}}"),
      ("the last of many names", "\(head){\(few),\(long):0}}"),
      ("many names", "\(head){\(names)}}"),
      ("many words", "\(head)[\((0..<4000).map { _ in quoted(short) }.joined(separator: ","))]}"),
      ("no JSON", filler.text(Self.limit)), ("nesting", head + open),
      ("numbers", head + "[" + String(repeating: "1e9,", count: Self.limit / 4)),
      ("a long number", head + String(repeating: "9", count: Self.limit)),
    ] {
      check(message, "\(what) of \(filler)")
    }
  }

  @Test func `a message above the limit is refused, and its bytes are not kept`() {
    var session = ControlSession(requestLimit: Self.limit, at: .zero)
    let cost = ProcessorTime.cost(runs: 1) {
      for _ in 0..<32 {
        session.receive([UInt8](repeating: 0x20, count: 65_536), at: .zero)
        _ = session.nextMessage(at: .zero)
        if !session.wantsInput { break }
      }
    }
    #expect(!session.wantsInput && session.hasOutput)
    #expect(cost < Self.most, "\(cost)")
  }

  @Test(arguments: HostileText.all)
  func `a name is compared with those of a thousand lists`(filler: HostileText) {
    let lists = (1...1000).map { number -> ListReference.Candidate in
      (UInt64(number), "\(filler.text(240))\(number)", 1000, number % 2 == 0)
    }
    let name = filler.text(OutsideText.longest)
    for text in [name, "*\(name.prefix(20))?", String(name.prefix(30)), "*", "?*a*b"] {
      let reference = ListReference(text)
      let cost = ProcessorTime.cost { _ = try? reference.choose(among: lists, for: 1000) }
      #expect(
        cost < Self.most, "\(filler), '\(text.prefix(10))', \(text.utf8.count) bytes: \(cost)")
    }
  }
}
