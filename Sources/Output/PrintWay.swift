// SPDX-License-Identifier: Apache-2.0
// The way in which a print gets its name. A folder that one process alone writes to has prints replaced; in a folder
// of several writers each print is made once, and the one that stands is the result. `once` tries whether a folder
// can keep that. Raises SystemError.

internal import Files
package import Vocabulary

package enum PrintWay: Equatable, Sendable {
  /// By a rename, which replaces a print of that name.
  case replace
  /// Once, by a link: a name that is taken stays.
  case link
  /// Once, by a rename that replaces nothing, on file systems without hard links.
  case rename

  package enum Found: Equatable, Sendable {
    case way(PrintWay)
    /// Prints cannot be made once in the folder; the reason is a clause.
    case unfit(String)
  }

  /// Makes files of this process in the folder, and removes them: a file that exists is not created again, a name that
  /// is taken is not replaced, and files and folder can be synced.
  package static func once(
    in folder: any Folder, mark: String
  ) throws(SystemError) -> Found {
    let probe = PrintProbe(folder: folder, mark: mark)
    try probe.clear()
    let found: Found
    do throws(SystemError) { found = try probe.run() } catch {
      try? probe.clear()
      throw error
    }
    try probe.clear()
    return found
  }
}

private struct PrintProbe {
  private static let text = Array("darkroom".utf8)

  let folder: any Folder
  let draft: FileName
  let name: FileName

  init(folder: any Folder, mark: String) {
    self.folder = folder
    (draft, name) = (FileName(made: ".\(mark)probe"), FileName(made: ".\(mark)probe-name"))
  }

  func clear() throws(SystemError) {
    for name in [draft, name] { try folder.removeIfThere(name) }
  }

  func run() throws(SystemError) -> PrintWay.Found {
    try make()
    if try !isRefused({ () throws(SystemError) in _ = try folder.open(draft, .create) }) {
      return .unfit("it creates a file that is there already")
    }
    let way: PrintWay
    do throws(SystemError) {
      try folder.link(draft, to: folder, as: name)
      way = .link
    } catch {
      guard error.meansNoLink else { throw error }
      if let reason = try renamed() {
        return .unfit(
          "it has neither hard links (\(error.words)) nor a rename that replaces nothing (\(reason))"
        )
      }
      way = .rename
    }
    return try judge(way)
  }

  /// The name is given; a second file must not get it.
  private func judge(_ way: PrintWay) throws(SystemError) -> PrintWay.Found {
    if way == .rename { try make() }
    let isKept = try isRefused { () throws(SystemError) in
      if way == .link {
        try folder.link(draft, to: folder, as: name)
      } else {
        try folder.renameOnce(draft, to: folder, as: name)
      }
    }
    if !isKept { return .unfit("it replaces a name that is taken") }
    if try folder.contents(of: name, upTo: Self.text.count + 1) != Self.text {
      return .unfit("a file is not the same under its new name")
    }
    do throws(SystemError) { try folder.sync() } catch {
      guard error.name == .invalid || error.name == .notSupported else { throw error }
      return .unfit("its folders cannot be synced (\(error.words))")
    }
    return .way(way)
  }

  private func make() throws(SystemError) {
    let file = try folder.open(draft, .create)
    try file.write(Self.text, at: 0)
    try file.sync()
  }

  /// The reason if it is not possible here.
  private func renamed() throws(SystemError) -> String? {
    do throws(SystemError) {
      try folder.renameOnce(draft, to: folder, as: name)
      return nil
    } catch {
      guard error.name == .invalid || error.meansNoLink else { throw error }
      return error.words
    }
  }

  private func isRefused(_ act: () throws(SystemError) -> Void) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try act()
      return false
    } catch {
      if error.exists { return true }
      throw error
    }
  }
}
