// SPDX-License-Identifier: Apache-2.0
// A file of a command line tool that appears under its name whole and durable, or not at all. Until then it
// has no name or, on file systems without unnamed files, a hidden one. Raises `SystemError`.

package import Vocabulary

package struct NewFile: Sendable {
  package let file: LinuxFile
  private let folder: LinuxFolder
  /// A hidden name, on file systems without unnamed files.
  private let temporary: FileName?

  package init(in folder: LinuxFolder) throws(SystemError) {
    self.folder = folder
    do throws(SystemError) { (file, temporary) = (try folder.openUnnamed(), nil) } catch {
      guard error.meansNoUnnamed else { throw error }
      let name = try Self.temporaryName()
      (file, temporary) = (try folder.openFile(name, .create), name)
    }
  }

  /// Durable on return. Gives an unnamed file a temporary name first, because it cannot replace another.
  /// EEXIST if the name is taken, unless `replacing`; the file is then discarded, as after any error. With a reader
  /// the file is for that user and its owner alone; it has the mode where that is not possible.
  package func appear(
    as name: FileName, mode: UInt32, reader: UInt32? = nil, replacing: Bool
  ) throws(SystemError) {
    let hidden = if let temporary { temporary } else { try Self.temporaryName() }
    do throws(SystemError) {
      if temporary == nil { try folder.give(hidden, to: file) }
      try open(to: reader, orWith: mode)
      try file.sync()
      try folder.rename(hidden, to: folder, as: name, replacing: replacing)
    } catch {
      try? folder.removeIfThere(hidden)
      throw error
    }
    try folder.sync()
  }

  private func open(to reader: UInt32?, orWith mode: UInt32) throws(SystemError) {
    if let reader, (try? file.setReader(reader)) != nil { return }
    try file.setMode(mode)
  }

  package func discard() { if let temporary { try? folder.removeIfThere(temporary) } }

  private static let (start, end) = (".darkroom-", ".part")

  /// True for the hidden name of a file that is about to appear.
  package static func isTemporary(_ name: FileName) -> Bool {
    name.bytes.starts(with: start.utf8) && name.bytes.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  package static func temporaryName() throws(SystemError) -> FileName {
    let bytes = try ThisProcess.randomBytes(8)
    let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return FileName(made: "\(start)\(String(number, radix: 36))\(end)")
  }
}

extension SystemError {
  /// File systems without unnamed files may report EISDIR.
  var meansNoUnnamed: Bool { name == .notSupported || name == .isFolder }
}
