// SPDX-License-Identifier: Apache-2.0
// `darkroomd --check`: what a start would refuse, and notes about what it would not see or remove. Changes nothing.
// Raises `StartFailure`.

import Linux
import Steer
import Vocabulary

enum SettingsCheck {
  static func run(_ options: CommandLineOptions) throws(StartFailure) {
    if let root = options.root {
      do throws(SystemError) { _ = try LinuxFolder.open(path: root) } catch {
        throw StartFailure(
          ExitCode.usage, "could not use the root \(Printable.text(root)): \(error)")
      }
    }
    let places = Places.named(by: options)
    let source = options.source(places)
    let settings = try Startup.settings(source, secrets: true).current
    var notes = settings.notes
    if let unit = DaemonPlace(socket: places.control).unit {
      notes += hidden(settings.download.fileFolders, by: unit)
    }
    notes += mounts(settings.download.fileFolders, among: MountPlaces.all)
    notes += settings.cluster.credentials.map {
      "\($0) names a credential, which only the service is given, so it was not read"
    }
    notes += [settings.cluster.lossNote(state: places.state)].compactMap(\.self)
    if settings.namesFiles, let note = reader(places) { notes.append(note) }
    do throws(SystemError) { try Surroundings.mustExist(source.path) } catch {
      // Those of an instance are elsewhere.
      if error.isMissing {
        let path = Printable.text(source.path)
        notes.append("there is no file \(path); the defaults apply, and \(path).d/*.conf")
      }
    }
    notes += ForecastRequest.notes(places.control, settings.record)
    for note in notes { say("note: \(note)") }
  }

  /// `ProtectHome=yes` shows these as empty to the service alone.
  static func hidden(_ folders: [String], by unit: String) -> [String] {
    folders.compactMap { folder in
      let home = ["/home", "/root", "/run/user"].first {
        folder == $0 || folder.hasPrefix("\($0)/")
      }
      guard let home else { return nil }
      let path = Printable.text(folder)
      return
        "the unit \(unit) hides \(home), so the photos of the folder \(path) of FileFolders= wait, unless a drop-in sets ProtectHome=read-only, or ProtectHome=tmpfs and BindReadOnlyPaths=\(path)"
    }
  }

  /// The photos of a named folder wait while it is empty; the photos of a folder in it do not.
  static func mounts(_ folders: [String], among places: [String]) -> [String] {
    let named = folders.map(cut)
    return named.flatMap { folder -> [String] in
      let path = "the folder \(Printable.text(folder)) of FileFolders="
      var notes: [String] = []
      if places.contains(folder) {
        notes.append("\(path) is a mount, and its photos wait while it is not mounted")
      }
      let top = folder == "/" ? folder : "\(folder)/"
      let below = Set(places).filter { place in
        place.hasPrefix(top) && place != folder
          && !named.contains { $0.hasPrefix(top) && (place == $0 || place.hasPrefix("\($0)/")) }
      }.sorted()
      if let first = below.first {
        let more = below.count > 1 ? " and \(below.count - 1) more" : ""
        notes.append(
          "\(path) is above the mount \(Printable.text(first))\(more), whose photos fail while it is not mounted; to let them wait, add \(Printable.text(first)) to FileFolders="
        )
      }
      return notes
    }
  }

  private static func cut(_ folder: String) -> String {
    let names = folder.split(separator: "/")
    return "/" + names.joined(separator: "/")
  }

  /// Root can read what the user of the daemon cannot.
  private static func reader(_ places: Places) -> String? {
    guard ThisProcess.user == 0, let owner = try? LinuxFolder.open(path: places.state).owner(),
      owner != 0
    else { return nil }
    let name = Surroundings.userName(owner) ?? "number \(owner)"
    return
      "root has looked at the files and folders that the settings name, but darkroomd runs as the user \(name), who may not be allowed to read them; to look as that user: runuser -u \(name) -- darkroomd --check"
  }
}

extension Settings {
  /// Files or folders that darkroomd must be able to read.
  fileprivate var namesFiles: Bool {
    let secrets = [cluster.password, cluster.blobCredentials].compactMap(\.self)
    return !download.fileFolders.isEmpty || network.certificateAuthorities != nil
      || cluster.ledger != nil && secrets.contains { $0.hasPrefix("/") }
  }
}

extension Settings.Cluster {
  /// The settings of secrets that name a credential.
  fileprivate var credentials: [String] {
    guard ledger != nil else { return [] }
    return [("LedgerPassword=", password), ("BlobCredentials=", hasStore ? blobCredentials : nil)]
      .filter { $0.1?.hasPrefix("/") == false }.map(\.0)
  }
}
