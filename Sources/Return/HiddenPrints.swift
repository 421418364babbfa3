// SPDX-License-Identifier: Apache-2.0
// The folder of a list's prints, before it goes: one rename hides it, which frees its name, and it is removed under the
// other name. Only a folder of ours is hidden. A symbolic link, a mount, a file of that name, and a folder with the prints
// of another list, or with a mark that cannot be read, stay as they are, with all that is behind them. Raises SystemError.

package import Files
package import Vocabulary

/// The kind of the thing that stands in the place of a folder of prints.
package enum PrintsStanding: Equatable, Sendable {
  case folder
  case missing
  case link
  case mount
  /// Another list has its prints there, by the mark.
  case foreign
  /// It is not known whose prints are there: the mark cannot be read.
  case unreadable
  /// No folder.
  case other

  /// Raises if the folder of all prints is missing, or not the one that is meant: that tells nothing about one list.
  /// - Parameter mark: of the list; nil for one whose folder has none.
  package init(
    of name: FileName, in prints: any Folder, for mark: PrintsMark? = nil
  ) throws(SystemError) {
    let prints = try prints.standing()
    switch try prints.status(ifThere: name)?.kind {
    case nil: self = .missing
    case .link: self = .link
    case .file, .other: self = .other
    case .folder:
      let folder = try prints.folder(name, creating: false)
      self = try Self.theirs(folder, mark) ?? (folder.isMountPoint ? .mount : .folder)
    }
  }

  /// Nil for a folder of ours. A mark that cannot be read concerns its folder alone.
  private static func theirs(
    _ folder: any Folder, _ mark: PrintsMark?
  ) throws(SystemError) -> Self? {
    do throws(SystemError) {
      return try mark?.claim(on: folder).mayPrint ?? true ? nil : .foreign
    } catch {
      if error.isOfOneThing { return .unreadable }
      throw error
    }
  }

  /// Its prints may be another list's, and stay as they are.
  package var isLeft: Bool { self == .foreign || self == .unreadable }

  /// Why it cannot be removed, after its path; nil if it can be.
  package var obstacle: String? {
    switch self {
    case .folder, .missing, .foreign, .unreadable: nil
    case .link: "is a symbolic link, which the daemon does not follow"
    case .mount: "is a mount, which the daemon does not remove"
    case .other: "is not a folder"
    }
  }

  /// Why there are no prints of ours, after its path; nil if there may be some.
  package var absence: String? {
    switch self {
    case .missing: "is missing"
    case .foreign: "holds the prints of another list"
    case .unreadable:
      "has a file .list that cannot be read, so it is not known whose prints it holds"
    case .folder, .link, .mount, .other: obstacle
    }
  }
}

extension PrintsStanding {
  /// Of a folder of prints in which another list has its prints, or may have: they are neither replaced nor removed.
  package func failure(of name: FileName, in prints: any Folder) -> Failure {
    Failure(
      .machine, scope: .one, code: "prints.foreign",
      reason: "\(prints.path)/\(name), its folder of prints, \(absence ?? "is there")",
      advice: "Move that folder away, or cancel the list and drop it again; "
        + "if the prints are its own, remove the file .list in that folder")
  }

  /// Of a folder of prints that could not be opened: the error does not tell what is in its place.
  package static func failure(
    of error: SystemError, at name: FileName, in prints: any Folder
  ) -> Failure {
    guard error.name == .notFolder || error.name == .isLink,
      let obstacle = (try? PrintsStanding(of: name, in: prints))?.obstacle
    else { return error.machineFailure }
    return Failure(
      .machine, scope: .one, code: "system.\(error.code)",
      reason: "\(prints.path)/\(name), its folder of prints, \(obstacle)",
      advice: "Move away what is there")
  }
}

enum HiddenPrints {
  /// Renames the folder, durably. False, and changes nothing, if there is no such folder, or not one of ours.
  static func hide(
    _ folder: FileName, in prints: any Folder, as hidden: FileName, for mark: PrintsMark?
  ) throws(SystemError) -> Bool {
    guard try PrintsStanding(of: folder, in: prints, for: mark) == .folder else { return false }
    try prints.rename(folder, to: prints, as: hidden, replacing: false)
    try prints.sync()
    return true
  }

  /// Removes what has the name. A link that was put in the place of the folder at the last moment goes alone.
  static func clear(_ hidden: FileName, in prints: any Folder) throws(SystemError) {
    switch try PrintsStanding(of: hidden, in: prints) {
    case .missing: return
    case .folder, .mount, .foreign, .unreadable: try prints.removeTree(hidden)
    case .link, .other: try prints.removeIfThere(hidden)
    }
  }
}
