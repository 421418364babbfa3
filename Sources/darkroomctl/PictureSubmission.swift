// SPDX-License-Identifier: Apache-2.0
// Puts pictures into the inbox as one folder: copies them into a hidden folder there, which then gets its name in one
// step, so that the daemon never takes only some pictures. An access control list lets the daemon's user read the
// pictures and take them out, and no other user. Raises a `Failure`.

internal import Files
internal import Linux
internal import Vocabulary

struct PictureSubmission {
  /// As the daemon has them.
  private static let deepest = 16
  /// The list's name gets an ending.
  private static let longestName = 200
  /// For the daemon alone, and where there are no access control lists.
  private static let (closed, open): (UInt32, UInt32) = (0o700, 0o770)
  private static let (closedFile, openFile): (UInt32, UInt32) = (0o600, 0o640)
  /// Keeps the group of the inbox for new files.
  private static let groupBit: UInt32 = 0o2000

  let name: FileName
  private let inbox: LinuxFolder
  /// Nil if the daemon needs no right.
  private let daemon: UInt32?
  /// The file system has no access control lists: the daemon gets the rights of its group.
  private(set) var isOpen = false
  /// Pictures by their place in the new folder, and what was left out.
  private(set) var pictures: [(path: [FileName], source: LinuxFolder, name: FileName)] = []
  private(set) var leftOut = 0
  /// The pictures that the daemon would leave in the inbox.
  private(set) var tooLarge = 0
  private let largest: UInt64

  /// - Parameters:
  ///   - name: of the folder in the inbox.
  ///   - largest: the size of a picture that the daemon takes; 0 for any.
  init(_ name: String, into inbox: String, upTo largest: UInt64) throws(Failure) {
    self.largest = largest
    guard let known = FileName(name), known.bytes.first != UInt8(ascii: "."),
      known.bytes.count <= Self.longestName
    else {
      throw Failure(
        .final, code: "list.name",
        reason: "'\(Printable.text(name, limit: 300))' cannot be the name of a list",
        advice: "Choose another with --name")
    }
    self.name = known
    let folder = try asFailure { () throws(SystemError) in try LinuxFolder.open(path: inbox) }
    self.inbox = folder
    daemon = try asFailure { () throws(SystemError) in try DaemonUser.needingRights(in: folder) }
  }

  // MARK: what

  /// Finds the pictures in the folder and in those below it.
  mutating func add(folder path: String) throws(Failure) {
    let folder = try asFailure { () throws(SystemError) in try LinuxFolder.open(path: path) }
    try add(folder, [])
  }

  private mutating func add(_ folder: LinuxFolder, _ path: [FileName]) throws(Failure) {
    let entries = try asFailure { () throws(SystemError) in
      try folder.entries().sorted { $0.name < $1.name }
    }
    for entry in entries where entry.name.bytes.first != UInt8(ascii: ".") {
      let status = try asFailure { () throws(SystemError) in try folder.status(of: entry.name) }
      if status.kind == .folder, path.count < Self.deepest - 1 {
        let inner = try asFailure { () throws(SystemError) in
          try folder.openFolder(entry.name, creating: false)
        }
        try add(inner, path + [entry.name])
      } else if status.kind == .file, PictureName(entry.name.bytes).isPicture {
        add(path + [entry.name], folder, entry.name, size: status.size)
      } else {
        leftOut += 1
      }
    }
  }

  mutating func add(picture path: String) throws(Failure) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    let above = path.hasPrefix("/") ? "/" : "./"
    guard let name = parts.last.flatMap({ FileName($0) }) else { throw Self.none(path) }
    let folder = try asFailure { () throws(SystemError) in
      try LinuxFolder.open(path: above + parts.dropLast().joined(separator: "/"))
    }
    guard !pictures.contains(where: { $0.path == [name] }) else {
      throw Failure(
        .final, code: "pictures.name", reason: "two of the pictures are called '\(name)'",
        advice: "Rename one, or submit them one after the other")
    }
    // Without a status, the copy tells what is wrong.
    add([name], folder, name, size: (try? folder.status(of: name))?.size ?? 0)
  }

  private mutating func add(
    _ path: [FileName], _ source: LinuxFolder, _ name: FileName, size: UInt64
  ) {
    if largest > 0, size > largest {
      tooLarge += 1
    } else {
      pictures.append((path, source, name))
    }
  }

  static func allTooLarge(_ count: Int) -> Failure {
    Failure(
      .final, code: "pictures.size",
      reason: count == 1
        ? "the picture is larger than MaximumSize=" : "all pictures are larger than MaximumSize=",
      advice: "MaximumSize= under [Download] in darkroomd.conf sets the limit")
  }

  static func none(_ path: String) -> Failure {
    Failure(
      .final, code: "pictures.none", reason: "there is no picture in it",
      advice: "Names of pictures end in \(PictureName.endingWords)")
  }

  // MARK: into the inbox

  mutating func drop() throws(Failure) {
    do throws(SystemError) {
      let hidden = try NewFile.temporaryName()
      do throws(SystemError) {
        let folder = try inbox.openFolder(hidden, creating: true)
        try close(hidden, in: inbox)
        var homes: [[FileName]: LinuxFolder] = [[]: folder]
        for picture in pictures {
          let home = try make(Array(picture.path.dropLast()), in: &homes)
          guard let own = picture.path.last else { continue }
          let source = try picture.source.openFile(picture.name, .read)
          let copy = try home.openFile(own, .create)
          try FileCopy.copy(source, to: copy, upTo: try source.status().size)
          try close(copy)
        }
        try inbox.syncFileSystem()
        try inbox.rename(hidden, to: inbox, as: name, replacing: false)
        try inbox.sync()
      } catch {
        try? inbox.removeTree(hidden)
        throw error
      }
    } catch {
      if error.exists { throw InboxName.taken(name, in: inbox) }
      throw error.failure
    }
  }

  /// The daemon may take files out of the folder.
  private mutating func close(_ name: FileName, in parent: LinuxFolder) throws(SystemError) {
    try parent.setMode(Self.closed, of: name)
    guard let daemon else { return }
    if !isOpen {
      do throws(SystemError) { return try parent.setChanger(daemon, of: name) } catch {
        guard error.meansNoReaders else { throw error }
        isOpen = true
      }
    }
    let keep = try parent.status(of: name).mode & Self.groupBit
    try parent.setMode(Self.open | keep, of: name)
  }

  private func close(_ picture: LinuxFile) throws(SystemError) {
    if isOpen { return try picture.setMode(Self.openFile) }
    try picture.setMode(Self.closedFile)
    if let daemon { try picture.setReader(daemon) }
  }

  private mutating func make(
    _ path: [FileName], in homes: inout [[FileName]: LinuxFolder]
  ) throws(SystemError) -> LinuxFolder {
    if let home = homes[path] { return home }
    guard let name = path.last else { preconditionFailure("the hidden folder itself is there") }
    let parent = try make(Array(path.dropLast()), in: &homes)
    let folder = try parent.openFolder(name, creating: true)
    try close(name, in: parent)
    homes[path] = folder
    return folder
  }
}
