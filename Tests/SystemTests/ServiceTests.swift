// SPDX-License-Identifier: Apache-2.0
// The service and the Debian package on a real systemd: runs the scripts in container. On a machine that cannot run
// them, the tests are skipped with the reason.

import Foundation
import Support
import Testing

/// A program that has run to its end, with its output. The output goes to a file, so that a process
/// left behind cannot keep the test waiting.
struct Run {
  let status: Int32
  let output: String

  init(_ arguments: [String], seconds: Int = 600) throws {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appending(path: "darkroom-run-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = FileManager.default.createFile(atPath: file.path(percentEncoded: false), contents: nil)
    let writing = try FileHandle(forWritingTo: file)
    status = ChildProgram.waitForEnd(
      of: try ChildProgram.start(
        ["timeout", "--kill-after=20", String(seconds)] + arguments,
        ChildProgram.Streams(output: writing.fileDescriptor, errors: writing.fileDescriptor)))
    output = String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }

  var lines: [Substring] { output.split(separator: "\n") }
}

/// A script in a container, with the folder or package that the container is made from; or the reason why it cannot
/// run.
private struct Story {
  let script: String
  let source: String?
  let reason: Comment

  static let service = Story(
    "service-test.sh", of: "DARKROOM_STAGE", "no folder made by make install DESTDIR=")
  static let backup = Story(
    "backup-test.sh", of: "DARKROOM_STAGE", "no folder made by make install DESTDIR=")
  static let package = Story(
    "package-test.sh", of: "DARKROOM_PACKAGE", "no package made by make deb")

  private init(_ name: String, of variable: String, _ lack: String) {
    script = Repository.path("Tests/SystemTests/container/\(name)")
    let named = ProcessInfo.processInfo.environment[variable] ?? ""
    let asked = named.isEmpty ? nil : try? Run(["bash", script, "--can"])
    source = asked?.status == 0 ? named : nil
    reason = named.isEmpty ? "\(variable) names \(lack)" : "\(asked?.output ?? "there is no bash")"
  }

  func tell() throws {
    let run = try Run(["bash", script, try #require(source)], seconds: 7000)
    if run.status == 77 { try Test.cancel("\(run.output)") }
    for line in run.lines where line.hasPrefix("not ok - ") { Issue.record("\(line.dropFirst(9))") }
    #expect(run.lines.contains { $0.hasPrefix("ok - ") }, "\(run.output)")
    #expect(run.status == 0, "\(run.output)")
  }
}

@Suite struct ServiceTests {
  @Test(
    "a service is installed, used, reloaded, stopped, killed and rebooted, and loses nothing",
    .enabled(if: Story.service.source != nil, Story.service.reason), .timeLimit(.minutes(120)))
  func service() throws { try Story.service.tell() }

  @Test(
    "the steps of the page on backup save, restore and move a darkroom, and its prints lie on another disk",
    .enabled(if: Story.backup.source != nil, Story.backup.reason), .timeLimit(.minutes(120)))
  func backup() throws { try Story.backup.tell() }

  @Test(
    "a package is upgraded in the middle of a list, removed, installed and purged, and loses nothing",
    .enabled(if: Story.package.source != nil, Story.package.reason), .timeLimit(.minutes(120)))
  func package() throws { try Story.package.tell() }
}
