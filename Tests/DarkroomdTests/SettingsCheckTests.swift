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
}
