// SPDX-License-Identifier: Apache-2.0
// `darkroomctl inbox` accounts for every file, and says why a list does not begin.

import Foundation
import Support
import Testing

@Suite struct InboxAccountTests {
  @Test func `every file in the inbox, or taken from it, is shown with its fate and reason`()
    async throws
  {
    try await DaemonBench.use { bench in
      let inbox = "\(bench.root)/inbox"
      let daemon = try await bench.start()
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "good.plist")
      #expect(try await bench.wait(for: "good", daemon).code == 0)
      try await bench.drop(Array("no list".utf8), as: "bad.plist")
      try await daemon.says("Could not accept list 'bad.plist'")
      for name in ["notes.doc", ".hidden.plist"] {
        try bench.folder.write([], to: "root/inbox/\(name)")
      }
      try FileManager.default.createDirectory(
        atPath: "\(inbox)/folder.plist", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: "\(inbox)/link.plist", withDestinationPath: "/etc/passwd")
      // A file whose writer is not done.
      let slow = unsafe open("\(inbox)/slow.plist", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
      let writer = FileHandle(fileDescriptor: slow, closeOnDealloc: true)
      try writer.write(contentsOf: Data("<plist>".utf8))
      try await bench.until("no pictures come into the folder") {
        try await bench.inbox().contains { $0.name == "folder.plist" && $0.fate == "ignored" }
      }
      let files = try await bench.inbox()
      let fates = Dictionary(grouping: files) { $0.name }.mapValues { $0.map(\.fate) }
      #expect(
        fates == [
          "good.plist": ["accepted"], "bad.plist": ["rejected"], "notes.doc": ["ignored"],
          ".hidden.plist": ["ignored"], "folder.plist": ["ignored"], "link.plist": ["ignored"],
          "slow.plist": ["waiting"],
        ])
      for file in files { #expect(file.why.isEmpty == (file.fate == "accepted"), "\(file)") }
      #expect(files.first { $0.name == "good.plist" }?.list == 1)
      try writer.close()
    }
  }
}
