// SPDX-License-Identifier: Apache-2.0
// inotify as a doorbell: it reports that a folder or the path to it has changed, never the change itself.
// The listener then scans the whole folder, so a lost or overflowed event costs nothing. Belongs to one
// thread. Raises the kernel's errors, above all for too many watches or instances.

internal import CLinux
package import Vocabulary

package final class Doorbell {
  package struct Rings: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The folder's entries have changed.
    package static let folder = Rings(rawValue: 1)
    /// The path may now lead to another folder.
    package static let path = Rings(rawValue: 2)
    /// The kernel's event queue overflowed.
    package static let overflow = Rings(rawValue: 4)
    /// The watch has ended: the folder was removed or its file system unmounted.
    package static let lost = Rings(rawValue: 8)
  }

  private struct Event {
    let watch: Int32
    let mask: UInt32
    let name: ArraySlice<UInt8>
  }

  private let handle: Descriptor
  /// An event has at most 272 bytes.
  private static let bufferSize = 65536
  private var buffer = [UInt8](repeating: 0, count: Doorbell.bufferSize)
  private var folder: Int32?
  private var mark: [UInt8] = []
  /// Watches on folders in the folder.
  private var inside: [Int32: FileName] = [:]
  private static let mostInside = 1_000
  /// The folders that rang.
  private var rung: Set<FileName> = []
  /// Watches on the path to the folder, with the relevant names in each; no name if only the watched
  /// folder itself matters.
  private var way: [Int32: Set<[UInt8]>] = [:]

  package init() throws(SystemError) {
    handle = Descriptor(owning: try Calls.run("inotify_init1", "doorbell") { dr_inotify() })
  }

  /// Readable when an event has arrived.
  package var descriptor: Int32 { handle.number }
  package var isWatching: Bool { folder != nil }

  /// Watches the open folder, even if its path now leads elsewhere, and no longer the previous one.
  /// New and changed files ring; a removed file rings only if its name is `mark`.
  package func watch(_ new: LinuxFolder, mark: FileName) throws(SystemError) {
    leave()
    self.mark = mark.bytes
    let held = "/proc/self/fd/\(new.descriptor)"
    folder = try Calls.run("inotify_add_watch", new.path) {
      unsafe dr_inotify_watch(handle.number, held)
    }
    try Calls.run("inotify_add_watch", new.path) {
      unsafe dr_inotify_watch_names(handle.number, held)
    }
  }

  /// New and changed files in these folders of the watched one also ring. A folder that cannot be watched is left to
  /// the scans without a ring.
  package func listen(inside names: [FileName], of folder: LinuxFolder) {
    let wanted = Set(names.prefix(Self.mostInside))
    for (watch, name) in inside where !wanted.contains(name) {
      _ = dr_inotify_forget(handle.number, watch)
      inside[watch] = nil
    }
    for name in wanted.subtracting(inside.values) {
      let path = "/proc/self/fd/\(folder.descriptor)/\(String(decoding: name.bytes, as: UTF8.self))"
      let watch = try? Calls.run("inotify_add_watch", path) {
        unsafe dr_inotify_watch_inside(handle.number, path)
      }
      // A name may lead to a folder that is watched already, by a mount.
      guard let watch, watch != self.folder, way[watch] == nil else { continue }
      inside[watch] = name
    }
  }

  package func leave() {
    for watch in inside.keys { _ = dr_inotify_forget(handle.number, watch) }
    (inside, rung) = ([:], [])
    if let folder { _ = dr_inotify_forget(handle.number, folder) }
    folder = nil
  }

  /// Watches everything that could make the absolute path lead to another folder, except mounts, which
  /// `MountTable` reports. Skips folders on the path that we may not read.
  package func watchWay(to path: String) throws(SystemError) {
    let old = way
    way = [:]
    let names = path.utf8.split(separator: 0x2F).map(Array.init)
    var place = "/"
    for (number, name) in names.enumerated() {
      if number == names.count - 1 {
        try add(place, name)
        break
      }
      let inner = place + (place == "/" ? "" : "/") + String(decoding: name, as: UTF8.self)
      let isPlain = try add(inner, nil)
      // A link may change its target, and a missing folder may appear.
      if !isPlain {
        try add(place, name)
        if try !add(inner, nil, follows: true) { break }
      }
      place = inner
    }
    for watch in old.keys where way[watch] == nil && watch != folder {
      _ = dr_inotify_forget(handle.number, watch)
    }
  }

  @discardableResult
  private func add(
    _ path: String, _ name: [UInt8]?, follows: Bool = false
  ) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let watch = try Calls.run("inotify_add_watch", path) {
        unsafe name == nil
          ? dr_inotify_watch_self(handle.number, path, follows ? 1 : 0)
          : dr_inotify_watch_names(handle.number, path)
      }
      way[watch, default: []].formUnion(name.map { [$0] } ?? [])
      return true
    } catch {
      switch error.name {
      case .denied: return true
      case .missing, .notFolder, .isLink: return false
      default: throw error
      }
    }
  }

  /// The folders in the watched one that rang since the last call.
  package func takeRung() -> Set<FileName> {
    defer { rung = [] }
    return rung
  }

  /// Reads all pending events. Call it before the scan, so that later changes ring again.
  package func drain() -> Rings {
    var rings: Rings = []
    while true {
      let used = unsafe dr_read(handle.number, &buffer, UInt64(Self.bufferSize))
      if used <= 0 { return rings }
      var rest = buffer[..<Int(used)]
      while let event = Self.next(&rest) { hear(event, &rings) }
    }
  }

  private static let moved: UInt32 = 0x400 | 0x800  // DELETE_SELF, MOVE_SELF
  private static let gone: UInt32 = 0x200 | 0x40  // DELETE, MOVED_FROM
  private static let ignored: UInt32 = 0x8000

  private func hear(_ event: Event, _ rings: inout Rings) {
    if event.mask & 0x4000 != 0 { return rings.formUnion([.overflow, .folder, .path]) }
    let isGone = event.mask & Self.gone != 0
    if event.watch == folder, !isGone || event.name.elementsEqual(mark) {
      rings.insert(.folder)
      if event.mask & Self.moved != 0 { rings.insert(.path) }
      if event.mask & Self.ignored != 0 {
        folder = nil
        rings.formUnion([.lost, .path])
      }
    }
    if let name = inside[event.watch] {
      // A folder that was moved or removed is another entry of this one.
      if !isGone {
        rings.insert(.folder)
        rung.insert(name)
      }
      if event.mask & (Self.moved | Self.ignored) != 0 {
        if event.mask & Self.ignored == 0 { _ = dr_inotify_forget(handle.number, event.watch) }
        inside[event.watch] = nil
      }
    }
    guard let names = way[event.watch] else { return }
    if event.mask & Self.ignored != 0 { way[event.watch] = nil }
    if event.name.isEmpty || names.contains(Array(event.name)) { rings.insert(.path) }
  }

  private static func next(_ bytes: inout ArraySlice<UInt8>) -> Event? {
    guard bytes.count >= 16 else { return nil }
    func word(_ place: Int) -> UInt32 {
      let start = bytes.startIndex + place
      return bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    let (watch, mask, length) = (Int32(bitPattern: word(0)), word(4), Int(word(12)))
    let name = bytes.dropFirst(16).prefix(length).prefix { $0 != 0 }
    bytes = bytes.dropFirst(16 + length)
    return Event(watch: watch, mask: mask, name: name)
  }
}
