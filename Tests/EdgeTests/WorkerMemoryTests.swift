// SPDX-License-Identifier: Apache-2.0
// A header that lies costs no memory: a real worker in its usual sandbox, and its peak memory as
// the kernel counts it.

import Linux
import Support
import Testing
import Vocabulary

@testable import Worker

struct WorkerMemoryTests {
  /// The peak memory that a worker may take for a picture that does not exist. It starts with a
  /// third of this, and an honest baseline picture takes no more.
  private static let most = 40 << 20

  /// A picture that lies, or an honest one.
  struct Lie: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    /// The beginning of the failure's code.
    let code: String
  }

  private static let pixels = SamplePictures.pixels(width: 40, height: 33)
  private static let baseline = JPEGForm(width: 40, height: 33).bytes(pixels)
  private static let progressive = JPEGForm(width: 40, height: 33) { $0.isProgressive = true }
    .bytes(pixels)
  private static let split = JPEGForm(width: 40, height: 33) { $0.isSplit = true }.bytes(pixels)
  private static let arithmetic = JPEGForm(width: 40, height: 33) { $0.isArithmetic = true }
    .bytes(pixels)
  private static let interlaced = PNGForm(width: 40, height: 33) { $0.isInterlaced = true }
    .bytes(pixels)
  private static let plain = PNGForm(width: 40, height: 33).bytes(pixels)

  /// Overwrites the size in the frame header.
  private static func jpeg(_ bytes: [UInt8], _ side: Int) -> [UInt8] {
    var bytes = bytes
    let marks: [UInt8] = [0xC0, 0xC1, 0xC2, 0xC9]
    guard
      let frame = bytes.indices.dropLast(9).first(where: {
        bytes[$0] == 0xFF && marks.contains(bytes[$0 + 1])
      })
    else { return [] }
    let two = [UInt8(side >> 8), UInt8(side & 255)]
    bytes.replaceSubrange((frame + 5)..<(frame + 9), with: two + two)
    return bytes
  }

  /// Replaces the header chunk, with its checksum.
  private static func png(_ bytes: [UInt8], _ side: Int) -> [UInt8] {
    let four = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
    let header = PNGForm.chunk("IHDR", four + four + bytes[24..<29])
    return bytes.prefix(8) + header + bytes.dropFirst(33)
  }

  private static let huge: [UInt8] = [0x7F, 0xFF, 0xFF, 0xF0]

  static let lies: [Lie] =
    [("baseline", baseline), ("progressive", progressive), ("split", split)].flatMap {
      name, bytes in
      [
        Lie(testDescription: "\(name), 65500", bytes: jpeg(bytes, 65500), code: "picture."),
        Lie(testDescription: "\(name), 9999", bytes: jpeg(bytes, 9999), code: "jpeg."),
      ]
    } + [
      Lie(testDescription: "arithmetic, 65500", bytes: jpeg(arithmetic, 65500), code: "picture."),
      Lie(testDescription: "PNG, 65500", bytes: png(plain, 65500), code: "picture.pixels"),
      Lie(testDescription: "PNG, 9999", bytes: png(plain, 9999), code: "png."),
      Lie(
        testDescription: "interlaced, 65500", bytes: png(interlaced, 65500), code: "picture.pixels"),
      Lie(testDescription: "interlaced, 9999", bytes: png(interlaced, 9999), code: "png."),
      Lie(
        testDescription: "a text of 2 GiB",
        bytes: plain.prefix(33) + huge + Array("iTXt".utf8) + plain.dropFirst(33),
        code: "png."),
      Lie(
        testDescription: "a profile of 2 GiB",
        bytes: plain.prefix(33) + huge + Array("iCCP".utf8) + plain.dropFirst(33),
        code: "png."),
      Lie(
        testDescription: "an unknown chunk of 2 GiB",
        bytes: plain.prefix(33) + huge + Array("abCd".utf8) + plain.dropFirst(33), code: "png."),
    ]

  /// Limits so wide that only the bytes of the file contradict the lie.
  private static let order = DevelopOrder(
    owner: 1, serviceClass: .default, filter: .standard, maximumPixels: 100_000_000,
    maximumMemory: 1 << 30, timeout: Patience.time)

  @Test(arguments: lies) func `a header that lies costs no memory`(_ lie: Lie) throws {
    #expect(!lie.bytes.isEmpty)
    let worker = try LoneWorker(owner: 1, memory: Self.order.maximumMemory + 64 << 20)
    let answer = try worker.develop(lie.bytes, Self.order)
    guard case .failed(let failure) = answer else {
      Issue.record("a print came out: \(answer)")
      return
    }
    #expect(failure.code.hasPrefix(lie.code), "\(failure.code): \(failure.reason)")
    let peak = try worker.peak()
    #expect(peak > 1 << 20 && peak < Self.most, "\(peak >> 10) KiB")
  }

  static let honest: [Lie] = [
    Lie(
      testDescription: "JPEG",
      bytes: JPEGForm(width: 3000, height: 2000).bytes(
        [UInt8](repeating: 90, count: 3000 * 2000 * 3)), code: ""),
    Lie(
      testDescription: "PNG",
      bytes: PNGForm(width: 3000, height: 2000).bytes(
        [UInt8](repeating: 90, count: 3000 * 2000 * 3)), code: ""),
    Lie(
      testDescription: "PNG with a palette",
      bytes: PNGForm(width: 3000, height: 2000) {
        ($0.colour, $0.palette) = (.palette, [1, 2, 3])
      }.bytes([UInt8](repeating: 0, count: 3000 * 2000)), code: ""),
  ]

  @Test(arguments: honest)
  func `an honest picture of millions of pixels takes as little memory`(_ picture: Lie) throws {
    let worker = try LoneWorker(owner: 1, memory: Self.order.maximumMemory + 64 << 20)
    guard case .developed(let developed) = try worker.develop(picture.bytes, Self.order) else {
      Issue.record("no print came out")
      return
    }
    #expect(developed.width == 3000)
    let peak = try worker.peak()
    #expect(peak < Self.most, "\(peak >> 10) KiB")
  }
}
