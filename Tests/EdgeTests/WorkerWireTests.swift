// SPDX-License-Identifier: Apache-2.0
// The packets between daemon and worker: they arrive as they were sent, and no received byte is
// trusted.

import Testing
import Vocabulary

@testable import Worker

struct WorkerWireTests {
  private static let requests: [WorkerRequest] = [
    WorkerRequest(
      number: .max, timeout: .milliseconds(1234),
      body: .readList(
        ListLimits(size: .max, photos: 5_000_000, keyBytes: 4096, valueBytes: .max))),
    WorkerRequest(
      number: 1, timeout: .seconds(30),
      body: .develop(
        DevelopOrder(
          owner: .max, serviceClass: .background, filter: .sepia(thousandths: 1000),
          maximumPixels: .max, maximumMemory: 0, timeout: .seconds(30)), thumbnail: 480)),
    developing(.level(1), .strip), developing(.level(100), .copyright),
    developing(.source, .keep),
  ]

  private static func developing(
    _ quality: PrintQuality, _ metadata: MetadataRule
  ) -> WorkerRequest {
    WorkerRequest(
      number: 2, timeout: .seconds(1),
      body: .develop(
        DevelopOrder(
          owner: 1, serviceClass: .default, filter: .standard, quality: quality,
          metadata: metadata, maximumPixels: 1, maximumMemory: 2, timeout: .seconds(1)),
        thumbnail: 0))
  }

  private static let answers: [WorkerAnswer] = [
    WorkerAnswer(number: 0, body: .ready(.all)), WorkerAnswer(number: 7, body: .listRead),
    WorkerAnswer(
      number: .max,
      body: .developed(Developed(format: .png, width: .max, height: 1, size: .max))),
    WorkerAnswer(
      number: 8,
      body: .developed(
        Developed(
          format: .jpeg, width: 3, height: 2, size: 1,
          thumbnail: Thumbnail(
            width: 3, height: 2, grid: ColourGrid((0..<36).map { UInt8($0 * 7) }))))),
    WorkerAnswer(
      number: 9,
      body: .failed(
        Failure(.final, code: "png.crc", reason: "a chunk is damaged", advice: "Fetch it again"))),
    WorkerAnswer(number: 9, body: .failed(Failure(.machine, code: "disk.full", reason: "full"))),
  ]

  @Test func `requests and answers arrive as they were sent`() {
    for request in Self.requests {
      #expect(WorkerRequest(decoding: request.encoded) == request)
      #expect(request.encoded.count <= WorkerRequest.maximumSize)
    }
    for answer in Self.answers { #expect(WorkerAnswer(decoding: answer.encoded) == answer) }
  }

  /// Both stand behind head, owner, class and filter.
  @Test func `a quality or a rule that does not exist makes a request invalid`() throws {
    let place = 2 + 1 + 8 + 8 + 4 + 1 + 1 + 4
    let bytes = Self.developing(.level(77), .strip).encoded
    #expect(bytes[place] == 77 && bytes[place + 1] == MetadataRule.strip.rawValue)
    for (at, value) in [(place, 101), (place, 255), (place + 1, 0), (place + 1, 4)] {
      var bent = bytes
      bent[at] = UInt8(value)
      #expect(WorkerRequest(decoding: bent) == nil)
    }
  }

  @Test func `a packet that is cut short or too long is invalid`() {
    for answer in Self.answers {
      let bytes = answer.encoded
      for count in 0..<bytes.count {
        #expect(WorkerAnswer(decoding: Array(bytes.prefix(count))) == nil)
      }
      #expect(WorkerAnswer(decoding: bytes + [0]) == nil)
    }
    for request in Self.requests {
      for count in 0..<request.encoded.count {
        #expect(WorkerRequest(decoding: Array(request.encoded.prefix(count))) == nil)
      }
    }
  }

  @Test func `a flipped byte gives an invalid or a harmless packet, never a crash`() {
    for answer in Self.answers {
      for place in answer.encoded.indices {
        for value: UInt8 in [0, 1, 0x0A, 0x1B, 0x7F, 0x80, 0xC3, 0xFF] {
          var bytes = answer.encoded
          bytes[place] = value
          if case .failed(let failure)? = WorkerAnswer(decoding: bytes)?.body {
            expectHarmless(failure)
          }
        }
      }
    }
  }

  private func expectHarmless(_ failure: Failure) {
    #expect(failure.kind == .final || failure.kind == .machine)
    #expect(failure.code.utf8.allSatisfy { $0 > 0x2C && $0 < 0x7B && $0 != 0x2F })
    #expect((failure.reason + failure.advice).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
  }

  @Test func `another version is refused`() {
    for answer in Self.answers {
      var bytes = answer.encoded
      bytes[0] = UInt8(WorkerRequest.version + 1)
      #expect(WorkerAnswer(decoding: bytes) == nil)
    }
  }

  @Test func `a long reason is cut, and the packet stays within its size`() {
    let long = String(repeating: "é", count: 5000)
    let answer = WorkerAnswer(
      number: 1, body: .failed(Failure(.final, code: "x", reason: "a" + long, advice: long)))
    #expect(answer.encoded.count <= WorkerAnswer.maximumSize)
    guard case .failed(let failure)? = WorkerAnswer(decoding: answer.encoded)?.body else {
      Issue.record("not read")
      return
    }
    #expect(failure.reason.hasPrefix("aéé"))
  }

  @Test func `the options of a worker are read as they were written`() {
    for options in [
      WorkerOptions(owner: 42, nice: 19, memory: .max, output: 7),
      WorkerOptions(owner: 0, readsLists: true, nice: 0, memory: 1, output: .max),
    ] { #expect(WorkerOptions(words: options.words) == options) }
  }

  @Test(
    "wrong words start no worker",
    arguments: [
      [], ["--owner=1"], ["--owner=1", "--for=lists", "--nice=x", "--memory=1", "--output=1"],
      ["--owner=1", "--for=others", "--nice=1", "--memory=1", "--output=1"],
      ["--owner=1", "--for=lists", "--nice=1", "--memory=1", "--output=1", "--more=1"], ["help"],
    ])
  func usage(words: [String]) { #expect(WorkerOptions(words: words) == nil) }
}
