// SPDX-License-Identifier: Apache-2.0
// A request to a worker: one packet, with two descriptors (the file to read, the file to write), and a third one
// (the file for the thumbnail) if the thumbnail's height is not 0.
//
//   u16 version · u8 kind · u64 number · u64 milliseconds · then
//   kind 1, read a list:  u64 size · u32 photos · u32 key bytes · u32 value bytes
//   kind 2, develop:      u64 list · u8 class · u8 function · u32 thousandths · u8 quality
//                         · u8 metadata · u64 pixels · u64 memory · u16 height of the thumbnail
//
// A quality is 1 to 100, or 0 for the original's.

import Vocabulary

struct WorkerRequest: Equatable {
  /// Daemon and worker are installed together; a packet of another version is refused.
  static let version: UInt16 = 4
  static let maximumSize = 128

  enum Body: Equatable {
    case readList(ListLimits)
    case develop(DevelopOrder, thumbnail: UInt16)

    /// The number of descriptors that come with it.
    var files: Int {
      if case .develop(_, thumbnail: 1...) = self { return 3 }
      return 2
    }
  }

  /// The number of the request, which the answer repeats.
  let number: UInt64
  let timeout: Duration
  let body: Body

  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.put(Self.version)
    switch body {
    case .readList: writer.put(UInt8(1))
    case .develop: writer.put(UInt8(2))
    }
    writer.put(number)
    writer.put(UInt64(clamping: timeout.milliseconds))
    switch body {
    case .readList(let limits): Self.put(limits, into: &writer)
    case .develop(let order, let thumbnail):
      Self.put(order, into: &writer)
      writer.put(thumbnail)
    }
    return writer.bytes
  }

  private static func put(_ limits: ListLimits, into writer: inout WireWriter) {
    writer.put(limits.size)
    writer.put(limits.photos)
    writer.put(limits.keyBytes)
    writer.put(limits.valueBytes)
  }

  private static func put(_ order: DevelopOrder, into writer: inout WireWriter) {
    writer.put(order.owner)
    writer.put(order.serviceClass.rawValue)
    switch order.filter {
    case .sepia(let thousandths):
      writer.put(UInt8(1))
      writer.put(UInt32(clamping: thousandths))
    }
    writer.put(UInt8(clamping: order.quality.level ?? 0))
    writer.put(order.metadata.rawValue)
    writer.put(order.maximumPixels)
    writer.put(order.maximumMemory)
  }
}

extension WorkerRequest {
  init?(decoding bytes: [UInt8]) {
    var reader = WireReader(bytes)
    guard reader.take(UInt16.self) == Self.version, let kind = reader.take(UInt8.self),
      let number = reader.take(UInt64.self), let milliseconds = reader.take(UInt64.self)
    else { return nil }
    let timeout = Duration.milliseconds(Int64(clamping: milliseconds))
    let body: Body?
    switch kind {
    case 1: body = Self.listLimits(&reader).map(Body.readList)
    case 2:
      guard let order = Self.developOrder(&reader, timeout),
        let thumbnail = reader.take(UInt16.self),
        thumbnail == 0 || Thumbnail.heights.contains(thumbnail)
      else { return nil }
      body = .develop(order, thumbnail: thumbnail)
    default: body = nil
    }
    guard let body, reader.isAtEnd else { return nil }
    self.init(number: number, timeout: timeout, body: body)
  }

  private static func listLimits(_ reader: inout WireReader) -> ListLimits? {
    guard let size = reader.take(UInt64.self), let photos = reader.take(UInt32.self),
      let keyBytes = reader.take(UInt32.self), let valueBytes = reader.take(UInt32.self)
    else { return nil }
    return ListLimits(size: size, photos: photos, keyBytes: keyBytes, valueBytes: valueBytes)
  }

  private static func developOrder(
    _ reader: inout WireReader, _ timeout: Duration
  ) -> DevelopOrder? {
    guard let owner = reader.take(UInt32.self),
      let serviceClass = reader.take(UInt8.self).flatMap(ServiceClass.init(rawValue:)),
      reader.take(UInt8.self) == 1, let thousandths = reader.take(UInt32.self),
      let quality = reader.take(UInt8.self).flatMap(Self.quality),
      let metadata = reader.take(UInt8.self).flatMap(MetadataRule.init(rawValue:)),
      let pixels = reader.take(UInt64.self), let memory = reader.take(UInt64.self)
    else { return nil }
    return DevelopOrder(
      owner: owner, serviceClass: serviceClass,
      filter: .sepia(thousandths: Int(thousandths)), quality: quality, metadata: metadata,
      maximumPixels: pixels, maximumMemory: memory, timeout: timeout)
  }

  private static func quality(_ byte: UInt8) -> PrintQuality? {
    if byte == 0 { return .source }
    return PrintQuality.levels.contains(Int(byte)) ? .level(Int(byte)) : nil
  }
}
