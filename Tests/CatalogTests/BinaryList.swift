// SPDX-License-Identifier: Apache-2.0
// Writes binary property lists for tests: good ones from values, arbitrary ones from raw objects.

/// A value of a property list; dictionaries keep their order.
indirect enum PropertyValue {
  case string(String)
  /// Always written as UTF-16.
  case wide([UInt16])
  case number(Int64)
  case real(Double)
  case bool(Bool)
  case date(Double)
  case data([UInt8])
  case uid(UInt8)
  case array([PropertyValue])
  case dictionary([(String, PropertyValue)])
  case entries([(PropertyValue, PropertyValue)])
  case set([PropertyValue])
}

struct BinaryList {
  private var objects: [[UInt8]] = []

  static func bytes(_ value: PropertyValue) -> [UInt8] {
    var list = BinaryList()
    let top = list.add(value)
    return assemble(list.objects, top: UInt64(top), referenceSize: 2)
  }

  /// Raw objects, and a trailer that fits them unless an argument differs.
  static func assemble(
    _ objects: [[UInt8]], top: UInt64 = 0, referenceSize: UInt8 = 1, offsetSize: UInt8 = 4,
    count: UInt64? = nil
  ) -> [UInt8] {
    var out = Array("bplist00".utf8)
    var offsets: [UInt64] = []
    for object in objects {
      offsets.append(UInt64(out.count))
      out += object
    }
    let table = UInt64(out.count)
    for offset in offsets { out += number(offset, size: Int(offsetSize)) }
    return out + [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
      + number(count ?? UInt64(objects.count), size: 8) + number(top, size: 8)
      + number(table, size: 8)
  }

  /// Big-endian.
  static func number(_ value: UInt64, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }

  static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15
      ? [kind << 4 | UInt8(count)] : [kind << 4 | 0xF, 0x12] + number(UInt64(count), size: 4)
  }

  private mutating func add(_ value: PropertyValue) -> Int {
    let place = objects.count
    objects.append([])
    objects[place] = bytes(of: value)
    return place
  }

  private mutating func bytes(of value: PropertyValue) -> [UInt8] {
    switch value {
    case .string(let text):
      return text.allSatisfy(\.isASCII)
        ? Self.head(5, text.utf8.count) + Array(text.utf8) : Self.wide(Array(text.utf16))
    case .wide(let units): return Self.wide(units)
    case .number(let number): return [0x13] + Self.number(UInt64(bitPattern: number), size: 8)
    case .real(let number): return [0x23] + Self.number(number.bitPattern, size: 8)
    case .bool(let value): return [value ? 0x09 : 0x08]
    case .date(let seconds): return [0x33] + Self.number(seconds.bitPattern, size: 8)
    case .data(let bytes): return Self.head(4, bytes.count) + bytes
    case .uid(let number): return [0x80, number]
    case .array(let values): return container(0xA, values)
    case .set(let values): return container(0xC, values)
    case .dictionary(let pairs):
      return bytes(of: .entries(pairs.map { (.string($0.0), $0.1) }))
    case .entries(let pairs):
      let references = (pairs.map(\.0) + pairs.map(\.1)).map { add($0) }
      return Self.head(0xD, pairs.count)
        + references.flatMap { Self.number(UInt64($0), size: 2) }
    }
  }

  private mutating func container(_ kind: UInt8, _ values: [PropertyValue]) -> [UInt8] {
    let references = values.map { add($0) }
    return Self.head(kind, values.count) + references.flatMap { Self.number(UInt64($0), size: 2) }
  }

  private static func wide(_ units: [UInt16]) -> [UInt8] {
    head(6, units.count) + units.flatMap { number(UInt64($0), size: 2) }
  }
}
