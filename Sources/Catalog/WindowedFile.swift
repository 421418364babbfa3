// SPDX-License-Identifier: Apache-2.0
// Random access to a file through a few windows of memory: a list is read at about six positions at once
// (keys, values, their references, their offsets). The caller checks offsets against the size of the file.
// Raises the file's errors, and `list.truncated` for a file that became shorter.

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

  mutating func byte(at offset: UInt64) throws(Failure) -> UInt8 {
    let window = try window(offset / Self.windowSize)
    let place = Int(offset % Self.windowSize)
    let bytes = windows[window].bytes
    guard place < bytes.count else { throw Self.shorter(offset) }
    return bytes[place]
  }

  /// A big-endian number of one to eight bytes.
  mutating func number(at offset: UInt64, size: Int) throws(Failure) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<UInt64(size) { value = value << 8 | UInt64(try byte(at: offset + place)) }
    return value
  }

  mutating func bytes(at offset: UInt64, count: Int) throws(Failure) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(count)
    while out.count < count {
      let position = offset + UInt64(out.count)
      let window = try window(position / Self.windowSize)
      let place = Int(position % Self.windowSize)
      let piece = windows[window].bytes.dropFirst(place).prefix(count - out.count)
      if piece.isEmpty { throw Self.shorter(position) }
      out.append(contentsOf: piece)
    }
    return out
  }

  private static func shorter(_ offset: UInt64) -> Failure {
    ListRefusal.truncated("\(ListPlace.byte(offset)): it became shorter while it was read")
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
      current = 0
      for place in windows.indices where windows[place].lastUse < windows[current].lastUse {
        current = place
      }
      windows[current] = new
    }
    return current
  }
}
