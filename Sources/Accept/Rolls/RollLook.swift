// SPDX-License-Identifier: Apache-2.0
// Looks for pictures in a folder of the inbox and in those below it. Follows no link, and opens one folder at
// a time, from the inbox on: a folder that is renamed meanwhile is only missed. Raises SystemError.

internal import Files
internal import Linux
internal import Vocabulary

struct RollLook {
  let inbox: any Folder
  /// A larger picture stays.
  var largestPicture = UInt64.max

  /// The roll in the folder; nil if there is no such folder, or something is mounted over it.
  func roll(_ name: FileName) throws(SystemError) -> Roll? {
    if inbox.isOtherFileSystem(name) { return nil }
    guard let top = try inbox.status(ifThere: name), top.kind == .folder else { return nil }
    var walk = Walk(top: top)
    walk.folders = [[name]]
    if try top.device != inbox.device() { walk.obstacle = Self.elsewhere }
    while walk.obstacle == nil, let path = walk.folders.popLast() {
      do throws(SystemError) { try look(into: path, &walk) } catch {
        switch error.name {
        case .missing, .notFolder, .isLink: continue
        default:
          // The other files of the inbox do not wait for this folder.
          guard error.isOfOneThing else { throw error }
          walk.obstacle =
            error.isMachineTrouble ? error.machineFailure : Self.closed(path, error)
        }
      }
      if walk.entries > Roll.maximumEntries || walk.bytes > Roll.maximumBytes {
        walk.obstacle = Self.tooMany
      }
    }
    return Roll(
      Candidate.Key(name), top, pictures: walk.pictures, remainders: walk.remainders,
      obstacle: walk.obstacle, entries: walk.entries)
  }

  /// The folder that the path leads to; nil if a part is missing, is not a folder any more, or is a mount, which may hang.
  static func folder(
    _ path: some Collection<FileName>, in inbox: any Folder
  ) throws(SystemError) -> (any Folder)? {
    var folder: (any Folder)? = inbox
    do throws(SystemError) {
      for name in path {
        if folder?.isOtherFileSystem(name) == true { return nil }
        folder = try folder?.folder(ifThere: name)
      }
    } catch {
      if error.name == .notFolder || error.name == .isLink { return nil }
      throw error
    }
    return folder
  }

  private struct Walk {
    let top: FileStatus
    var folders: [[FileName]] = []
    var entries = 0
    /// Of all paths.
    var bytes = 0
    var pictures: [Roll.Picture] = []
    var remainders: [Roll.Remainder] = []
    var obstacle: Failure?

    mutating func leave(_ path: [FileName], _ reason: IgnoredReason) {
      remainders.append(Roll.Remainder(path: path, reason: reason))
    }
  }

  private func look(into path: [FileName], _ walk: inout Walk) throws(SystemError) {
    guard let folder = try Self.folder(path, in: inbox) else { return }
    var hasPictures = false
    for entry in try folder.entries() {
      walk.entries += 1
      if walk.entries > Roll.maximumEntries { return }
      let place = path + [entry.name]
      if entry.name.bytes.first == 0x2E {
        walk.leave(place, .hidden)
        continue
      }
      // It may hang.
      if folder.isOtherFileSystem(entry.name) {
        walk.leave(place, .otherFileSystem)
        continue
      }
      guard let status = try folder.status(ifThere: entry.name) else { continue }
      if let reason = judge(entry.name, status, walk.top) {
        walk.leave(place, reason)
      } else if status.kind == .file {
        hasPictures = true
        walk.bytes += place.reduce(0) { $0 + $1.bytes.count + 1 }
        walk.pictures.append(Roll.Picture(path: place, status: status))
      } else if path.count < Roll.deepest {
        walk.folders.append(place)
      } else {
        walk.leave(place, .deep)
      }
    }
    if hasPictures {
      try folder.checkChanges()
      if try isSticky(path) { walk.obstacle = Self.closed(path, "its sticky bit is set") }
    }
  }

  /// Only its owner and the owners of the files may take files out of such a folder.
  private func isSticky(_ path: [FileName]) throws(SystemError) -> Bool {
    guard let name = path.last, let above = try Self.folder(path.dropLast(), in: inbox) else {
      return false
    }
    let status = try above.status(of: name)
    return status.mode & 0o1000 != 0 && status.owner != ThisProcess.user && ThisProcess.user != 0
  }

  /// Why the file or folder is not part of the roll.
  private func judge(
    _ name: FileName, _ status: FileStatus, _ top: FileStatus
  ) -> IgnoredReason? {
    switch status.kind {
    case .link: return .link
    case .other: return .special
    case .folder: return status.device == top.device ? nil : .otherFileSystem
    case .file:
      if !PictureName(name.bytes).isPicture { return .noPicture }
      if status.owner != top.owner { return .otherOwner }
      return status.size > largestPicture ? .largePicture : nil
    }
  }

  /// The words for the owner of the pictures.
  static func closed(_ path: [FileName], _ error: SystemError) -> Failure {
    if error.name == .notPermitted || error.name == .denied { return closed(path, error.words) }
    return Failure(
      .final, code: "pictures.closed",
      reason: "the daemon cannot take pictures out of \(Roll.text(path)): \(error.words)",
      advice: "Take it out of the inbox, or use darkroomctl submit")
  }

  private static func closed(_ path: [FileName], _ why: String) -> Failure {
    Failure(
      .final, code: "pictures.closed",
      reason: "the daemon may not take pictures out of \(Roll.text(path)): \(why)",
      advice:
        "Allow the daemon to change it: setfacl -R -m u:\(Surroundings.ownName):rwX, or use "
        + "darkroomctl submit. The daemon looks again when the folder in the inbox itself changes, and after "
        + "up to five minutes when only a folder below it does")
  }

  private static let elsewhere = Failure(
    .final, code: "pictures.closed", reason: "it is on another file system than the inbox",
    advice: "Copy the pictures into a folder of the inbox")

  private static let tooMany = Failure(
    .final, code: "pictures.limit",
    reason: "it has more than \(Roll.maximumEntries) files, or their names are too long together",
    advice: "Drop it in parts")
}
