// SPDX-License-Identifier: Apache-2.0
// The result of one photo: a row of fixed size in STATE/lists/ID/results, at the offset given by the photo's
// number. The print's name is not stored: it follows from the catalog and the list's settings.

internal import Digests
package import Vocabulary

package struct ResultRow: Equatable, Sendable {
  /// Divides the sizes of sectors and pages, so that a row is rarely torn.
  package static let size = 256
  package static let maximumCodeBytes = 31
  package static let maximumReasonBytes = size - 115

  package var photo: UInt32
  package var state: PhotoState
  /// 0 without a print.
  package var format: UInt8
  package var httpStatus: UInt16
  package var attempts: UInt32
  package var bytes: UInt64
  package var width: UInt32
  package var height: UInt32
  /// The print's digest, 32 bytes; empty without a print.
  package var sha256: [UInt8]
  /// Times above 71 minutes are stored as the largest number.
  package var queuedMicroseconds: UInt32
  package var downloadMicroseconds: UInt32
  package var filterMicroseconds: UInt32
  package var outputMicroseconds: UInt32
  private var remark: Remark
  /// Cut at `maximumReasonBytes`, between characters.
  package var reason: String

  /// The kinds that share one place in the row: a print has no code.
  private enum Remark: Equatable {
    case code(String)
    case thumbnail(Thumbnail)
  }

  package init(
    photo: UInt32, state: PhotoState, format: UInt8 = 0, httpStatus: UInt16 = 0,
    attempts: UInt32 = 0, bytes: UInt64 = 0, width: UInt32 = 0, height: UInt32 = 0,
    sha256: [UInt8] = [], queuedMicroseconds: UInt32 = 0, downloadMicroseconds: UInt32 = 0,
    filterMicroseconds: UInt32 = 0, outputMicroseconds: UInt32 = 0, code: String = "",
    reason: String = "", thumbnail: Thumbnail? = nil
  ) {
    self.photo = photo
    self.state = state
    self.format = format
    self.httpStatus = httpStatus
    self.attempts = attempts
    self.bytes = bytes
    self.width = width
    self.height = height
    self.sha256 = sha256.count == 32 ? sha256 : []
    self.queuedMicroseconds = queuedMicroseconds
    self.downloadMicroseconds = downloadMicroseconds
    self.filterMicroseconds = filterMicroseconds
    self.outputMicroseconds = outputMicroseconds
    self.reason = Self.cut(reason, to: Self.maximumReasonBytes)
    remark = .code(Self.cut(code, to: Self.maximumCodeBytes))
    if let thumbnail, code.isEmpty { remark = .thumbnail(thumbnail) }
  }

  /// Cut at `maximumCodeBytes`; empty for a print.
  package var code: String {
    if case .code(let code) = remark { code } else { "" }
  }

  /// Of a print.
  package var thumbnail: Thumbnail? {
    get { if case .thumbnail(let thumbnail) = remark { thumbnail } else { nil } }
    set { remark = newValue.map { .thumbnail($0) } ?? .code("") }
  }

  private static func cut(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: limit)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }

  // MARK: As bytes, numbers little-endian

  private static let plain: UInt8 = 1
  /// With a thumbnail in the place of the code.
  private static let shown: UInt8 = 2

  /// Seeds the checksum, so that a row at another photo's place or in another list's file does not verify.
  private static func seed(_ list: ListID, _ photo: UInt32) -> UInt32 {
    CRC32C.checksum(Array("\(list) \(photo)".utf8))
  }

  package func encoded(for list: ListID) -> [UInt8] {
    let kind = thumbnail == nil ? Self.plain : Self.shown
    var row: [UInt8] = [kind, state.rawValue, format, sha256.isEmpty ? 0 : 1]
    row.reserveCapacity(Self.size)
    func add(_ number: some FixedWidthInteger & UnsignedInteger) {
      for byte in 0..<(number.bitWidth / 8) {
        row.append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
      }
    }
    for number in [
      photo, attempts, width, height, queuedMicroseconds, downloadMicroseconds,
      filterMicroseconds, outputMicroseconds,
    ] { add(number) }
    add(bytes)
    add(httpStatus)
    row += sha256.isEmpty ? [UInt8](repeating: 0, count: 32) : sha256
    func add(_ text: String, in room: Int) {
      let text = Array(Self.cut(text, to: room).utf8)
      row.append(UInt8(text.count))
      row += text
      row += [UInt8](repeating: 0, count: room - text.count)
    }
    if let thumbnail {
      add(thumbnail.width)
      add(thumbnail.height)
      row += thumbnail.grid.packed
      row += [UInt8](repeating: 0, count: Self.maximumCodeBytes - 3 - ColourGrid.size)
    } else {
      add(code, in: Self.maximumCodeBytes)
    }
    add(reason, in: Self.maximumReasonBytes)
    add(CRC32C.checksum(row, seed: Self.seed(list, photo)))
    // The size of a row is part of the format.
    precondition(row.count == Self.size)
    return row
  }

  /// Nil unless the bytes are the row of this photo.
  package init?(_ row: [UInt8], for photo: PhotoID) {
    guard row.count == Self.size, [Self.plain, Self.shown].contains(row[0]),
      let state = PhotoState(rawValue: row[1])
    else { return nil }
    var place = 4
    func take(_ count: Int) -> UInt64 {
      defer { place += count }
      return row[place..<(place + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    func small() -> UInt32 { UInt32(truncatingIfNeeded: take(4)) }
    func text(_ limit: Int) -> String {
      defer { place += 1 + limit }
      return String(
        decoding: row[(place + 1)..<(place + 1 + min(limit, Int(row[place])))], as: UTF8.self)
    }
    let checksum = CRC32C.checksum(
      row[..<(Self.size - 4)], seed: Self.seed(photo.list, photo.number))
    self.state = state
    format = row[2]
    self.photo = small()
    attempts = small()
    width = small()
    height = small()
    queuedMicroseconds = small()
    downloadMicroseconds = small()
    filterMicroseconds = small()
    outputMicroseconds = small()
    bytes = take(8)
    httpStatus = UInt16(truncatingIfNeeded: take(2))
    sha256 = row[3] == 1 ? Array(row[place..<(place + 32)]) : []
    place += 32
    if row[0] == Self.shown {
      let (wide, high) = (UInt16(take(2)), UInt16(take(2)))
      guard let grid = ColourGrid(packed: row[place..<(place + ColourGrid.size)]) else {
        return nil
      }
      remark = .thumbnail(Thumbnail(width: wide, height: high, grid: grid))
      place += Self.maximumCodeBytes - 3
    } else {
      remark = .code(text(Self.maximumCodeBytes))
    }
    reason = text(Self.maximumReasonBytes)
    guard small() == checksum, self.photo == photo.number else { return nil }
  }
}
