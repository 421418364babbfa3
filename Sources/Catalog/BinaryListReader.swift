// SPDX-License-Identifier: Apache-2.0
// Reads a binary property list as events, in its own order. Checks every count, offset and reference against
// the file before use. Does not recurse. Does not remember objects: an object with two references is read
// twice, and reading stops after 64 KiB and four times the file's size. Raises `list.syntax`,
// `list.truncated`, `list.limit` and the file's errors.

package import Vocabulary

package struct BinaryListReader {
  private struct Frame {
    let isDictionary: Bool
    /// The offset of the first reference.
    let references: UInt64
    let count: UInt64
    /// The number of references read; in a dictionary, of pairs.
    var done: UInt64 = 0
    var isAtValue = false
  }

  private let trailer: BinaryTrailer
  private let limits: ListLimits
  private var file: WindowedFile
  private var stack: [Frame] = []
  private var hasBegun = false
  /// The number of bytes that may still be decoded.
  private var budget: UInt64

  package init(_ list: any OpenFile, size: UInt64, limits: ListLimits) throws(Failure) {
    file = WindowedFile(list)
    self.limits = limits
    let trailing = min(size, BinaryTrailer.size)
    trailer = try BinaryTrailer(
      file.bytes(at: size - trailing, count: Int(trailing)), fileSize: size)
    budget = size.multipliedReportingOverflow(by: 4).partialValue &+ (64 << 10)
  }

  /// The next event, and the offset of its object; nil after the end of the top object.
  package mutating func next() throws(Failure) -> (ListEvent, ListPlace)? {
    guard var frame = stack.popLast() else {
      if hasBegun { return nil }
      hasBegun = true
      return try object(trailer.top, isKey: false)
    }
    if frame.done == frame.count { return (.close, .byte(frame.references)) }
    var place = frame.done
    if frame.isAtValue { place += frame.count }
    let isKey = frame.isDictionary && !frame.isAtValue
    let offset = frame.references + place * UInt64(trailer.referenceSize)
    let reference = try file.number(at: offset, size: trailer.referenceSize)
    if frame.isDictionary { frame.isAtValue.toggle() }
    if !frame.isAtValue { frame.done += 1 }
    stack.append(frame)
    return try object(reference, isKey: isKey)
  }

  private mutating func object(
    _ reference: UInt64, isKey: Bool
  ) throws(Failure) -> (ListEvent, ListPlace) {
    guard reference < trailer.objectCount else {
      throw refuse(trailer.tableOffset, "there is no object \(reference)")
    }
    let entry = trailer.tableOffset + reference * UInt64(trailer.offsetSize)
    let offset = try file.number(at: entry, size: trailer.offsetSize)
    guard offset >= BinaryTrailer.headSize, offset < trailer.tableOffset else {
      throw refuse(entry, "the offset of an object lies outside the file")
    }
    let event = try event(file.byte(at: offset), at: offset)
    if isKey {
      guard case .string(let text) = event else {
        throw refuse(offset, "a key is \(event.words), not a string")
      }
      return (.key(text), .byte(offset))
    }
    return (event, .byte(offset))
  }

  private mutating func event(_ marker: UInt8, at offset: UInt64) throws(Failure) -> ListEvent {
    let low = marker & 0x0F
    switch marker >> 4 {
    case 0x0 where low == 0x8 || low == 0x9:
      try spend(1, at: offset)
      return .flag(low == 0x9)
    case 0x1 where low <= 3: return try integer(offset, size: 1 << Int(low))
    case 0x1 where low == 4: return try scalar(.number, offset, bytes: 16)
    case 0x2 where low == 2 || low == 3:
      return try scalar(.number, offset, bytes: 1 << UInt64(low))
    case 0x3 where low == 3: return try scalar(.date, offset, bytes: 8)
    case 0x4:
      _ = try extent(low, at: offset, unit: 1)
      return .scalar(.data)
    case 0x5: return .string(try ascii(low, at: offset))
    case 0x6: return .string(try utf16(low, at: offset))
    case 0x8: return try scalar(.uid, offset, bytes: UInt64(low) + 1)
    case 0xA: return try open(low, at: offset, isDictionary: false)
    case 0xC: throw refuse(offset, "it contains a set; a list has dictionaries, arrays and strings")
    case 0xD: return try open(low, at: offset, isDictionary: true)
    default:
      throw refuse(offset, "an object has the unknown marker \(String(marker, radix: 16))")
    }
  }

  private mutating func scalar(
    _ kind: ListEvent.Scalar, _ offset: UInt64, bytes: UInt64
  ) throws(Failure) -> ListEvent {
    try spend(1 + bytes, at: offset)
    guard offset + bytes < trailer.tableOffset else { throw outside(offset) }
    return .scalar(kind)
  }

  /// Eight bytes are signed, fewer are not.
  private mutating func integer(_ offset: UInt64, size: Int) throws(Failure) -> ListEvent {
    _ = try scalar(.number, offset, bytes: UInt64(size))
    let number = try file.number(at: offset + 1, size: size)
    return .integer(ListText("\(Int64(bitPattern: number))"))
  }

  private mutating func open(
    _ low: UInt8, at offset: UInt64, isDictionary: Bool
  ) throws(Failure) -> ListEvent {
    guard stack.count < ListForm.deepest else { throw ListRefusal.tooDeep(.byte(offset)) }
    let unit = UInt64(trailer.referenceSize) * (isDictionary ? 2 : 1)
    let (start, count) = try extent(low, at: offset, unit: unit)
    stack.append(Frame(isDictionary: isDictionary, references: start, count: count))
    return isDictionary ? .openDictionary : .openArray
  }

  /// The start and the number of units of an object's contents, all inside the file. Spends their bytes.
  private mutating func extent(
    _ low: UInt8, at offset: UInt64, unit: UInt64
  ) throws(Failure) -> (start: UInt64, count: UInt64) {
    var start = offset + 1
    var count = UInt64(low)
    if low == 0x0F {
      let marker = try file.byte(at: start)
      guard marker & 0xF0 == 0x10, marker & 0x0F <= 3 else {
        throw refuse(offset, "the size of an object cannot be read")
      }
      let size = 1 << Int(marker & 0x0F)
      count = try file.number(at: start + 1, size: size)
      start += 1 + UInt64(size)
    }
    let bytes = count.multipliedReportingOverflow(by: unit)
    guard !bytes.overflow, start <= trailer.tableOffset,
      bytes.partialValue <= trailer.tableOffset - start
    else { throw outside(offset) }
    try spend(start - offset + bytes.partialValue, at: offset)
    return (start, count)
  }

  private mutating func ascii(_ low: UInt8, at offset: UInt64) throws(Failure) -> ListText {
    let (start, count) = try extent(low, at: offset, unit: 1)
    let kept = min(count, UInt64(longestText))
    let bytes = try file.bytes(at: start, count: Int(kept))
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      throw refuse(offset, "a string marked as ASCII has other bytes")
    }
    return ListText(bytes, length: count)
  }

  private mutating func utf16(_ low: UInt8, at offset: UInt64) throws(Failure) -> ListText {
    let (start, count) = try extent(low, at: offset, unit: 2)
    let kept = min(count, UInt64(longestText))
    let bytes = try file.bytes(at: start, count: Int(kept) * 2)
    let units = stride(from: 0, to: bytes.count, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    var utf8: [UInt8] = []
    utf8.reserveCapacity(units.count * 2)
    let isBroken = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
    ) { utf8.append($0) }
    // A cut text may end between the halves of a surrogate pair.
    guard !isBroken || kept < count else {
      throw refuse(offset, "a string contains half a surrogate pair")
    }
    return ListText(utf8, length: kept < count ? max(count, UInt64(utf8.count) + 1) : nil)
  }

  private var longestText: Int { Int(max(limits.keyBytes, limits.valueBytes)) }

  private mutating func spend(_ bytes: UInt64, at offset: UInt64) throws(Failure) {
    guard bytes <= budget else {
      throw Failure(
        .final, code: "list.limit",
        reason: "byte \(offset): its shared objects expand it to more than four times its size")
    }
    budget -= bytes
  }

  private func outside(_ offset: UInt64) -> Failure {
    refuse(offset, "an object is longer than the file")
  }

  private func refuse(_ offset: UInt64, _ words: String) -> Failure {
    ListRefusal.syntax(.byte(offset), words)
  }
}
