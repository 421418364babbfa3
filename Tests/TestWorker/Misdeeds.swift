// SPDX-License-Identifier: Apache-2.0
// The deeds of the test worker, good and bad.

import CAttempts
import Catalog
import Linux
import Vocabulary

enum Misdeeds {
  static func readList(
    _ list: any OpenFile, _ catalog: any OpenFile, _ limits: ListLimits
  ) -> Result<Void, Failure> {
    guard let text = try? list.read(at: 0, upTo: 64), text != Array("refuse".utf8) else {
      return .failure(
        Failure(.final, code: "list.refused", reason: "line 3 holds no URL", advice: "Write one"))
    }
    switch String(decoding: text, as: UTF8.self) {
    case "crash": dr_crash()
    case "hang": hang()
    default: break
    }
    if text.starts(with: "bplist00".utf8) { return readWhole(list, catalog, limits) }
    do throws(SystemError) { try catalog.write(text + processText, at: 0) } catch {
      return .failure(error.failure)
    }
    return .success(())
  }

  /// Reads the list as the real worker does, unless a killer is among the photos.
  private static func readWhole(
    _ list: any OpenFile, _ catalog: any OpenFile, _ limits: ListLimits
  ) -> Result<Void, Failure> {
    let text = String(decoding: (try? list.read(at: 0, upTo: 65536)) ?? [], as: UTF8.self)
    if text.contains("killer list") { dr_crash() }
    do throws(Failure) {
      try ListReader.read(list: list, catalog: catalog, limits: limits)
      if text.contains("keep list") {
        // The code shows that the deed was done.
        if LaterDeeds.spoilAll() == "mapped,written,cut" { ThisProcess.end(with: 7) }
        if LaterDeeds.spoilInput(list) != "" { ThisProcess.end(with: 8) }
        LaterDeeds.keep(catalog, size: 1)
      }
      return .success(())
    } catch { return .failure(error) }
  }

  static func develop(
    _ original: any OpenFile, _ print: any OpenFile, _ order: DevelopOrder
  ) -> Result<Developed, Failure> {
    let bytes = (try? original.read(at: 0, upTo: 4096)) ?? []
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    do throws(SystemError) {
      return try obey(words.first.map(String.init) ?? "", bytes, print, order)
    } catch { return .failure(error.failure) }
  }

  private static func obey(
    _ command: String, _ bytes: [UInt8], _ print: any OpenFile, _ order: DevelopOrder
  ) throws(SystemError) -> Result<Developed, Failure> {
    switch command {
    case "echo": return try answer(bytes, print)
    case "process": return try answer(processText, print)
    case "order": return try answer(Array("\(order)".utf8), print)
    case "descriptors": return try answer(descriptors, print)
    case "attempts": return try answer(attempts, print)
    case "say":
      unsafe dr_say("first\u{1B}[31m\nsecond\n" + String(repeating: "x", count: 20_000))
      return try answer(bytes, print)
    case "empty": return .success(Developed(format: .png, width: 1, height: 1, size: 0))
    case "too-large": return .success(Developed(format: .png, width: 1, height: 1, size: 1 << 40))
    case "too-wide":
      try print.write([1], at: 0)
      return .success(
        Developed(format: .png, width: 4_294_967_295, height: 4_294_967_295, size: 1))
    case "overfill":
      try print.write([1], at: order.maximumPixels * 9 + (64 << 20))
      return try answer(bytes, print)
    default: return refuse(command)
    }
  }

  private static func refuse(_ command: String) -> Result<Developed, Failure> {
    switch command {
    case "damaged":
      .failure(
        Failure(
          .final, code: "jpeg.truncated", reason: "the picture ends early\u{1B}[2J",
          advice: "Fetch it again"))
    case "full": .failure(Failure(.machine, code: "disk.full", reason: "no space left"))
    case "wail": .failure(Failure(.machine, code: "out.of.luck", reason: "the machine is bad"))
    case "again": .failure(Failure(.passing, code: "try.again", reason: "once more"))
    case "cancelled": .failure(.cancelled)
    case "bad-code": .failure(Failure(.final, code: "PATH=/tmp\n", reason: "look here"))
    default: misbehave(command)
    }
  }

  /// Never returns.
  private static func misbehave(_ command: String) -> Never {
    switch command {
    case "crash": dr_crash()
    case "abort": dr_abort()
    case "trap": fatalError("a check of its own failed")
    case "foreign-call": dr_foreign_call()
    case "exit": ThisProcess.end(with: 7)
    case "spin": while true {}
    case "eat": eat()
    case "hang": hang()
    case "hangup": Descriptor(owning: 3).close()
    default: lie(command, PacketSocket(owning: Descriptor(owning: 3)))
    }
    hang()
  }

  private static func lie(_ command: String, _ socket: borrowing PacketSocket) {
    switch command {
    case "garbage": _ = try? socket.send(Array("what is this".utf8))
    case "huge": _ = try? socket.send([UInt8](repeating: 1, count: 65_536))
    case "flood": while (try? socket.send([UInt8](repeating: 1, count: 500))) != nil {}
    case "unasked":
      // Version 1, the answer that a list was read, request number 99.
      _ = try? socket.send([1, 0, 1, 99, 0, 0, 0, 0, 0, 0, 0])
    // The kernel refuses it while too many descriptors of this user are in flight.
    case "descriptor": while (try? socket.send([1, 0, 1], files: [2])) == nil {}
    default: break
    }
    hang()
  }

  private static func hang() -> Never { while true { _ = try? Poll.wait([], for: nil) } }

  private static func eat() {
    var pieces: [[UInt8]] = []
    while true { pieces.append([UInt8](repeating: 1, count: 1 << 20)) }
  }

  private static func answer(
    _ bytes: [UInt8], _ print: any OpenFile
  ) throws(SystemError) -> Result<Developed, Failure> {
    try print.write(bytes, at: 0)
    let size = try print.status().size
    return .success(Developed(format: .jpeg, width: 2, height: 3, size: size))
  }

  private static var processText: [UInt8] { Array("\(ThisProcess.identifier)".utf8) }

  /// The numbers of the open descriptors of this process.
  private static var descriptors: [UInt8] {
    let open = (0..<64).filter { dr_is_open($0) == 1 }
    return Array(open.map(String.init).joined(separator: " ").utf8)
  }

  private static var attempts: [UInt8] {
    var lines = ""
    var number: Int32 = 0
    while let name = unsafe dr_attempt_name(number) {
      unsafe lines += "\(String(cString: name)): \(dr_attempt(number))\n"
      number += 1
    }
    return Array(lines.utf8)
  }
}

extension Descriptor {
  /// Closes the descriptor early.
  fileprivate consuming func close() {}
}
