// SPDX-License-Identifier: Apache-2.0
// Random access to a file through a few windows of memory: a list is read at about six positions at once
// (keys, values, their references, their offsets). Raises the file's errors.

internal import Vocabulary

struct WindowedFile {
  private struct Window {
    let page: UInt64
    let bytes: [UInt8]
    var lastUse: UInt64
  }

  private static let windowSize: UInt64 = 16 << 10
  private static let windowCount = 16

  private let file: any OpenFile
  private var windows: [Window] = []
  /// The window that was used last.
  private var current = 0
  private var clock: UInt64 = 0

  init(_ file: any OpenFile) { self.file = file }

  /// The byte at an offset; nil past the end.
  mutating func byte(at offset: UInt64) throws(Failure) -> UInt8? {
    let window = try window(offset / Self.windowSize)
    let place = Int(offset % Self.windowSize)
    let bytes = windows[window].bytes
    return place < bytes.count ? bytes[place] : nil
  }

  /// A big-endian number of one to eight bytes; nil past the end.
  mutating func number(at offset: UInt64, size: Int) throws(Failure) -> UInt64? {
    var value: UInt64 = 0
    for place in 0..<UInt64(size) {
      guard let byte = try byte(at: offset + place) else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return value
  }

  /// `count` bytes; fewer at the end.
  mutating func bytes(at offset: UInt64, count: Int) throws(Failure) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(count)
    while out.count < count {
      let position = offset + UInt64(out.count)
      let window = try window(position / Self.windowSize)
      let place = Int(position % Self.windowSize)
      let piece = windows[window].bytes.dropFirst(place).prefix(count - out.count)
      if piece.isEmpty { break }
      out.append(contentsOf: piece)
    }
    return out
  }

  private mutating func window(_ page: UInt64) throws(Failure) -> Int {
    if current < windows.count, windows[current].page == page { return current }
    clock += 1
    if let known = windows.firstIndex(where: { $0.page == page }) {
      windows[known].lastUse = clock
      current = known
      return known
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try file.read(at: page * Self.windowSize, upTo: Int(Self.windowSize))
    } catch { throw error.failure }
    let new = Window(page: page, bytes: bytes, lastUse: clock)
    if windows.count < Self.windowCount {
      windows.append(new)
      current = windows.count - 1
    } else {
      current = windows.indices.min { windows[$0].lastUse < windows[$1].lastUse } ?? 0
      windows[current] = new
    }
    return current
  }
}
