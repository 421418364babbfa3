// SPDX-License-Identifier: Apache-2.0
// A worker's answer: one packet. The picture may have taken over the worker, so everything in the answer
// that can be checked is checked, and the rest can do no harm.
//
//   u16 version · u8 kind · u64 number · then
//   kind 0, ready:      u32 layers of the sandbox that hold
//   kind 1, list read
//   kind 2, developed:  u8 format · u8 notices · u32 width · u32 height · u64 size
//                       · u16 width and u16 height of the thumbnail (0 without one) · 18 bytes of its colours
//   kind 3, failed:     u8 1 for the machine's trouble, else 0 · text code · text reason · text advice

package import Vocabulary

package struct WorkerAnswer: Equatable, Sendable {
  package static let maximumSize = 2048
  private static let maximumText: UInt16 = 600

  package enum Body: Equatable, Sendable {
    case ready(SandboxLayers)
    case listRead
    case developed(Developed)
    case failed(Failure)
  }

  /// The request's number; 0 for `ready`.
  package let number: UInt64
  package let body: Body

  package init(number: UInt64, body: Body) {
    self.number = number
    self.body = body
  }

  package var encoded: [UInt8] {
    var writer = WireWriter()
    writer.put(WorkerRequest.version)
    switch body {
    case .ready(let layers):
      Self.begin(0, number, &writer)
      writer.put(layers.rawValue)
    case .listRead: Self.begin(1, number, &writer)
    case .developed(let developed):
      Self.begin(2, number, &writer)
      writer.put(developed.format.rawValue)
      writer.put(developed.notices.rawValue)
      writer.put(developed.width)
      writer.put(developed.height)
      writer.put(developed.size)
      Self.put(developed.thumbnail, into: &writer)
    case .failed(let failure):
      Self.begin(3, number, &writer)
      writer.put(UInt8(failure.kind == .machine ? 1 : 0))
      writer.put(failure.code, atMost: 64)
      writer.put(failure.reason, atMost: Self.maximumText)
      writer.put(failure.advice, atMost: Self.maximumText)
    }
    return writer.bytes
  }

  private static func put(_ thumbnail: Thumbnail?, into writer: inout WireWriter) {
    writer.put(thumbnail?.width ?? 0)
    writer.put(thumbnail?.height ?? 0)
    for byte in thumbnail?.grid.packed ?? [UInt8](repeating: 0, count: ColourGrid.size) {
      writer.put(byte)
    }
  }

  private static func begin(_ kind: UInt8, _ number: UInt64, _ writer: inout WireWriter) {
    writer.put(kind)
    writer.put(number)
  }
}

extension WorkerAnswer {
  package init?(decoding bytes: [UInt8]) {
    var reader = WireReader(bytes)
    guard reader.take(UInt16.self) == WorkerRequest.version, let kind = reader.take(UInt8.self),
      let number = reader.take(UInt64.self)
    else { return nil }
    let body: Body?
    switch kind {
    case 0: body = reader.take(UInt32.self).map { .ready(SandboxLayers(rawValue: $0)) }
    case 1: body = .listRead
    case 2: body = Self.developed(&reader).map(Body.developed)
    case 3: body = Self.failure(&reader).map(Body.failed)
    default: body = nil
    }
    guard let body, reader.isAtEnd else { return nil }
    self.init(number: number, body: body)
  }

  private static func developed(_ reader: inout WireReader) -> Developed? {
    guard let format = reader.take(UInt8.self).flatMap(PictureFormat.init(rawValue:)),
      let notices = reader.take(UInt8.self),
      let width = reader.take(UInt32.self), let height = reader.take(UInt32.self),
      let size = reader.take(UInt64.self), width > 0, height > 0, size > 0,
      let wide = reader.take(UInt16.self), let high = reader.take(UInt16.self),
      let grid = ColourGrid(
        packed: (0..<ColourGrid.size).compactMap { _ in reader.take(UInt8.self) })
    else { return nil }
    let thumbnail = wide == 0 ? nil : Thumbnail(width: wide, height: high, grid: grid)
    return Developed(
      format: format, width: width, height: height, size: size,
      notices: PictureNotices(rawValue: notices), thumbnail: thumbnail)
  }

  /// A worker cannot make the daemon wait forever: trouble of the machine is accepted only for a full or
  /// broken disk. No answer can mean "try again" or "it was cancelled".
  private static func failure(_ reader: inout WireReader) -> Failure? {
    guard let isMachine = reader.take(UInt8.self), let code = reader.takeText(),
      let reason = reader.takeText(), let advice = reader.takeText(),
      !code.isEmpty, code.count <= 64, code.allSatisfy(isCodeByte)
    else { return nil }
    let word = String(decoding: code, as: UTF8.self)
    let believed = isMachine == 1 && machineCodes.contains(word)
    return Failure(
      believed ? .machine : .final, code: word, reason: Printable.sentence(reason),
      advice: Printable.sentence(advice))
  }

  private static let machineCodes =
    ["disk.full"]
    + [.noSpace, .overQuota, .inputOutput, .readOnly].map { (name: SystemError.Name) in
      name.failureCode
    }

  private static func isCodeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7A, 0x30...0x39, 0x2E, 0x2D: true
    default: false
    }
  }
}
