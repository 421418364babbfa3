// SPDX-License-Identifier: Apache-2.0
// Writes a file completely or not at all: writes a temporary file, syncs it, renames it, syncs its folder.
// A crash leaves at most the temporary file, which the next write replaces; an error leaves none. Raises SystemError.

package import Vocabulary

extension Folder {
  /// Durable on return; replaces an earlier file of that name. The temporary file is called `temporary`
  /// or, without one, `.NAME`. Without a mode or readers the file is private.
  package func write(
    whole bytes: [UInt8], as name: FileName, through temporary: FileName? = nil,
    mode: UInt32? = nil, for readers: FileReaders? = nil
  ) throws(SystemError) {
    try write(wholly: name, through: temporary, mode: mode, for: readers) {
      file throws(SystemError) in
      try file.write(bytes, at: 0)
    }
  }

  /// The same for contents that `fill` writes.
  package func write(
    wholly name: FileName, through temporary: FileName? = nil, mode: UInt32? = nil,
    for readers: FileReaders? = nil,
    _ fill: (any OpenFile) throws(SystemError) -> Void
  ) throws(SystemError) {
    guard let temporary = temporary ?? FileName(bytes: [0x2E] + name.bytes) else {
      throw SystemError(.nameTooLong, call: "openat", thing: "\(path)/.\(name)")
    }
    do throws(SystemError) {
      try draft(temporary, mode: mode, for: readers, fill)
      try rename(temporary, to: self, as: name, replacing: true)
    } catch {
      try? removeIfThere(temporary)
      throw error
    }
    try sync()
  }

  /// Replaces a file as a whole, but syncs nothing: a power cut leaves the old file, the new one or an empty one.
  package func replace(_ name: FileName, with bytes: [UInt8]) throws(SystemError) {
    let temporary = FileName(made: [0x2E] + name.bytes)
    try openAnew(temporary).write(bytes, at: 0)
    try rename(temporary, to: self, as: name, replacing: true)
  }

  /// The first half: makes the contents durable, not the name.
  package func draft(
    _ temporary: FileName, mode: UInt32? = nil, for readers: FileReaders? = nil,
    _ fill: (any OpenFile) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = try openAnew(temporary)
    try fill(file)
    if let mode { try file.setMode(mode) }
    if let readers { try file.setReaders(readers) }
    try file.sync()
  }
}
