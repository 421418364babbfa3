// SPDX-License-Identifier: Apache-2.0
// What `darkroomd --check` says about folders that the service does not see.

import Testing

@testable import darkroomd

@Suite struct SettingsCheckTests {
  @Test(arguments: [
    ("/home/ana/scans", "/home"), ("/home", "/home"), ("/root", "/root"),
    ("/run/user/7/x", "/run/user"), ("/homes/x", nil), ("/srv/home", nil), ("/run/users", nil),
  ])
  func `a folder that the unit hides is named, with what shows it`(folder: String, home: String?) {
    let notes = SettingsCheck.hidden([folder], by: "darkroom@archive")
    let words = home.map {
      [
        "the unit darkroom@archive hides \($0), so the photos of the folder \(folder) of FileFolders= wait, unless a drop-in sets ProtectHome=read-only, or ProtectHome=tmpfs and BindReadOnlyPaths=\(folder)"
      ]
    }
    #expect(notes == words ?? [])
  }

  private static func mounted(_ folder: String) -> String {
    "the folder \(folder) of FileFolders= is a mount, and its photos wait while it is not mounted"
  }

  private static func above(_ folder: String, _ mount: String, _ more: String = "") -> String {
    "the folder \(folder) of FileFolders= is above the mount \(mount)\(more), whose photos fail while "
      + "it is not mounted; to let them wait, add \(mount) to FileFolders="
  }

  @Test(
    arguments: [
      (["/srv/photos"], [mounted("/srv/photos")]), (["/srv//photos/"], [mounted("/srv/photos")]),
      (["/srv"], [above("/srv", "/srv/more", " and 1 more")]),
      (["/srv", "/srv/more"], [above("/srv", "/srv/photos"), mounted("/srv/more")]),
      (["/srv/photo", "/home"], []),
    ] as [([String], [String])])
  func `a folder that is a mount, or above one, is told, with what then waits or fails`(
    folders: [String], words: [String]
  ) {
    let places = ["/", "/proc", "/srv/photos", "/srv/more"]
    #expect(SettingsCheck.mounts(folders, among: places) == words)
  }
}
