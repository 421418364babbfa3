// SPDX-License-Identifier: Apache-2.0
// The service on a real systemd: runs container/service-test.sh. On a machine that cannot run it,
// the test is skipped with the reason.

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

private let script = Repository.path("Tests/SystemTests/container/service-test.sh")

/// The folder that the container is made from, or the reason why there can be none.
private enum Stage {
  case ready(String)
  case missing(String)

  static let current: Stage = {
    guard let stage = ProcessInfo.processInfo.environment["DARKROOM_STAGE"], !stage.isEmpty else {
      return .missing("DARKROOM_STAGE names no folder made by make install DESTDIR=")
    }
    guard let asked = try? Run(["bash", script, "--can"]) else {
      return .missing("there is no bash")
    }
    return asked.status == 0 ? .ready(stage) : .missing(asked.output)
  }()

  var folder: String? { if case .ready(let folder) = self { folder } else { nil } }
  var reason: Comment { if case .missing(let reason) = self { "\(reason)" } else { "it can run" } }
}

@Suite struct ServiceTests {
  @Test(
    "a service is installed, used, reloaded, stopped, killed and rebooted, and loses nothing",
    .enabled(if: Stage.current.folder != nil, Stage.current.reason), .timeLimit(.minutes(120)))
  func story() throws {
    let stage = try #require(Stage.current.folder)
    let run = try Run(["bash", script, stage], seconds: 7000)
    if run.status == 77 { try Test.cancel("\(run.output)") }
    for line in run.lines where line.hasPrefix("not ok - ") { Issue.record("\(line.dropFirst(9))") }
    #expect(run.lines.contains { $0.hasPrefix("ok - ") }, "\(run.output)")
    #expect(run.status == 0, "\(run.output)")
  }
}
