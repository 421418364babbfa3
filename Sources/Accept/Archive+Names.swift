// SPDX-License-Identifier: Apache-2.0
// How the files of a list get their names: all of them beside each other, under the first name where
// each is free or has these very bytes already. Repeating does no harm.

internal import Vocabulary

extension Archive {
  /// Gives each part its name, the copy's last; answers the copy's.
  @discardableResult
  func settle(
    _ parts: [ArchivePart], _ choices: [FileName], unless isCancelled: () -> Bool
  ) throws(SystemError) -> FileName {
    for name in choices {
      guard try fit(parts, name, unless: isCancelled) else { continue }
      for part in parts.reversed() {
        guard let own = part.name(beside: name) else { continue }
        if try part.folder.has(own) {
          try part.folder.remove(part.temporary)
        } else {
          try part.folder.rename(part.temporary, to: part.folder, as: own, replacing: false)
        }
        try part.folder.sync()
      }
      return name
    }
    let thing = parts.first.map { "\($0.folder.path)/\($0.temporary)" } ?? ""
    throw SystemError(code: 17, call: "archive", thing: thing)
  }

  private func fit(
    _ parts: [ArchivePart], _ name: FileName, unless isCancelled: () -> Bool
  ) throws(SystemError) -> Bool {
    for part in parts {
      guard let own = part.name(beside: name) else { return false }
      if try part.folder.has(own), try !holds(own, part, unless: isCancelled) { return false }
    }
    return true
  }

  private func holds(
    _ name: FileName, _ part: ArchivePart, unless isCancelled: () -> Bool
  ) throws(SystemError) -> Bool {
    let status = try part.folder.status(of: name)
    guard status.kind == .file, status.size == part.sum.size else { return false }
    let file = try part.folder.open(name, .read)
    return try FileCopy.sum(file, upTo: part.sum.size, unless: isCancelled) == part.sum
  }
}
