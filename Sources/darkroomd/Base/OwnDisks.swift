// SPDX-License-Identifier: Apache-2.0
// The folders of prints, done and failed at a start: each may be a mount point, or a link to another disk. The daemon
// records in STATE/mounts which folders were on another disk, so that it never takes the bare folder of an unmounted
// disk for an empty folder. Raises `StartFailure`. If an administrator can mend the cause while the start waits, the
// failure has a trouble that may pass.
// Concurrency: values; every call waits for a disk.

import Files
import Linux
import Vocabulary

struct OwnDisks {
  private static let name = FileName(literal: "mounts")
  private static let longest = 200

  let state: LinuxFolder

  /// - Parameters:
  ///   - folder: as users know it: `prints`.
  ///   - title: for sentences: `the folder of prints`.
  ///   - absence: what the start does if it is missing.
  struct Place {
    enum Absence {
      /// Waits for an administrator.
      case trouble
      /// Makes it, unless it was on a separate disk.
      case made
      /// Works without it.
      case allowed
    }

    let folder: String
    let title: String
    let path: String
    var absence = Absence.trouble
    /// Tells the folder that is meant from others, whenever another one stands at the path.
    var check: PathFolder.Check?
  }

  /// The last one is the folder of prints of this machine alone, if it is a node with a shared folder.
  /// - Parameters:
  ///   - sharing: tells the folder that nodes share.
  ///   - seat: refuses a folder of prints that another daemon has.
  static func places(
    _ places: Places, sharing check: PathFolder.Check?, seat: PathFolder.Check?
  ) -> [Place] {
    let title = "the folder of prints"
    let others = [
      Place(folder: "done", title: "the folder done", path: places.done),
      Place(folder: "failed", title: "the folder failed", path: places.failed),
    ]
    guard let alone = places.alone else {
      let prints = Place(
        folder: "prints", title: title, path: places.prints, absence: .made, check: seat)
      return [prints] + others
    }
    return [Place(folder: "shared", title: title, path: places.prints, check: check)] + others
      + [
        Place(
          folder: "prints", title: "\(title) of this machine", path: alone, absence: .allowed,
          check: seat)
      ]
  }

  /// Opens the folders in their order, and remembers those on separate disks.
  func open(_ places: [Place]) throws(StartFailure) -> [PathFolder] {
    let known = try known()
    var apart: [String] = []
    var folders: [PathFolder] = []
    for place in places {
      let isNew = !known.contains(place.folder)
      if place.absence == .allowed, isNew, !Self.isThere(place) { continue }
      let (folder, isApart) = try look(at: place, mayMake: isNew)
      if known.contains(place.folder), !isApart { throw unmounted(place) }
      if isApart { apart.append(place.folder) }
      folders.append(folder)
    }
    if Set(apart) != known { try remember(apart) }
    return folders
  }

  private static func isThere(_ place: Place) -> Bool {
    do throws(SystemError) { _ = try LinuxFolder.open(path: place.path) } catch {
      return !error.isMissing
    }
    return true
  }

  private func look(
    at place: Place, mayMake: Bool
  ) throws(StartFailure) -> (PathFolder, isApart: Bool) {
    let folder: LinuxFolder
    do throws(SystemError) {
      folder = try Self.open(place, mayMake: mayMake)
    } catch {
      throw failure(
        "folder.lost", "\(place.title) cannot be opened: \(error)",
        error.isMissing
          ? "Mount its disk, or make the folder again: systemd-tmpfiles --create darkroom.conf, "
            + "or mkdir as the user of darkroomd"
          : Self.giving(place.path))
    }
    try checkSandbox(folder, place)
    return try StartFailure.unlessOnDisk("with the folders") { () throws(SystemError) in
      let isApart = try folder.isApart()
      guard let check = place.check else {
        return (try PathFolder(path: place.path, isApart: isApart), isApart)
      }
      let device = try folder.identity().device
      let judged = PathFolder(path: place.path) { (folder) throws(SystemError) in
        try check(folder)
        // It stays on its disk, unless another one is mounted in its place.
        if !isApart, try folder.identity().device == device { return }
        guard try folder.isApart() else { throw .unmounted(place.path) }
      }
      return (judged, isApart)
    }
  }

  /// Makes the folder of prints again if an administrator has removed it. The others are for tmpfiles, which knows who
  /// may read them.
  private static func open(_ place: Place, mayMake: Bool) throws(SystemError) -> LinuxFolder {
    do throws(SystemError) { return try LinuxFolder.open(path: place.path) } catch {
      guard error.isMissing, mayMake, place.absence == .made,
        let slash = place.path.lastIndex(of: "/"),
        let name = FileName(place.path[place.path.index(after: slash)...]),
        let parent = try? LinuxFolder.open(path: String(place.path[..<slash])),
        let folder = try? parent.openFolder(name, creating: true)
      else { throw error }
      // As tmpfiles makes it: the group may read prints.
      try parent.setMode(0o750, of: name)
      try parent.sync()
      return folder
    }
  }

  /// A disk that is read-only is trouble of the lists that need it; a link out of the sandbox stays until a person
  /// mends it.
  private func checkSandbox(_ folder: LinuxFolder, _ place: Place) throws(StartFailure) {
    do throws(SystemError) { try folder.checkChanges() } catch {
      guard error.name == .readOnly, let real = try? folder.linkTarget()
      else { return }
      throw failure(
        "folder.sandbox", "\(place.title) is a link to \(real), which darkroomd may not write",
        SandboxAdvice.words(place.path, linkedTo: real))
    }
  }

  /// systemd-tmpfiles gives no folder of root away that is below a folder of another user.
  private static func giving(_ path: String) -> String {
    let user = ThisProcess.user
    return "Give it, with all that is in it, to the user of darkroomd: chown -R "
      + "\(Surroundings.userName(user) ?? "\(user)") \(path); and let that user enter it: chmod u+rwx \(path)"
  }

  private func unmounted(_ place: Place) -> StartFailure {
    failure(
      "folder.unmounted",
      "\(place.title) is not mounted: \(place.path) was on a disk of its own and is a plain folder now",
      "Mount it. To use the plain folder from now on, remove the file mounts in \(state.path)")
  }

  private func failure(_ code: String, _ words: String, _ advice: String) -> StartFailure {
    StartFailure(ExitCode.io, words, trouble: code, advice: advice)
  }

  // MARK: memory

  /// None if there is no file: the first start.
  private func known() throws(StartFailure) -> Set<String> {
    let bytes = try StartFailure.unlessOnDisk("with the folders") { () throws(SystemError) in
      try state.contents(of: Self.name, upTo: Self.longest) ?? []
    }
    return Set(
      bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) })
  }

  private func remember(_ folders: [String]) throws(StartFailure) {
    try StartFailure.unlessOnDisk("with the folders") { () throws(SystemError) in
      if folders.isEmpty { return try state.removeIfThere(Self.name) }
      try state.write(whole: Array(folders.map { "\($0)\n" }.joined().utf8), as: Self.name)
    }
  }
}
