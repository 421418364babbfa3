// SPDX-License-Identifier: Apache-2.0
// The installed programs: the libraries that read untrusted bytes are shared, so that their updates reach the worker,
// and no program needs a Swift runtime on the machine, or takes faults from its environment. All are
// position-independent, with relocation tables that are read-only after the start. Other tests run a debug build, which
// has none of this.

import Foundation
import Support
import Testing

@Suite struct InstalledProgramTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let stage = environment["DARKROOM_STAGE"]
  private static let none: Comment = "DARKROOM_STAGE names no folder made by make install DESTDIR="
  private static let worker = "libexec/darkroom/darkroom-worker"
  private static let programs = [
    "sbin/darkroomd", "bin/darkroomctl", worker, "libexec/darkroom/darkroom-web",
  ]

  /// The words of `readelf` about a program.
  private func look(_ program: String) throws -> Run {
    let path = "\(try #require(Self.stage))/usr/\(program)"
    let run = try Run(["readelf", "--wide", "--file-header", "--segments", "--dynamic", path])
    try #require(run.status == 0, "\(run.output)")
    return run
  }

  /// The shared libraries that the program names.
  private func libraries(_ run: Run) -> Set<String> {
    Set(run.output.matches(of: #/\(NEEDED\).*\[(.*?)\.so/#).map { String($0.1) })
  }

  @Test(.enabled(if: stage != nil, none))
  func `the libraries of the worker are shared, or all inside with STATIC=1`() throws {
    let found = libraries(try look(Self.worker))
    if Self.environment["STATIC"] == "1" {
      #expect(found == [])
    } else {
      #expect(found.isSuperset(of: ["libjpeg", "libpng16", "libz", "libexpat", "libc"]))
    }
  }

  @Test(.enabled(if: stage != nil, none))
  func `the daemon takes no faults from its environment, as that of the tests does`() throws {
    let folder = try FreshFolder()
    try folder.write(Array("[Report]\nProgress=4s\n".utf8), to: "settings")
    let file = "\(folder.path)/settings"
    func check(_ program: String) throws -> Run {
      try Run([
        "env", "DARKROOM_FAULT=openat \(file) 13", program, "--check", "--config", file,
      ])
    }
    let own = try check("\(DaemonBench.programFolder)/darkroomd")
    #expect(own.status != 0 || !DaemonBench.isDebugBuild, "\(own.output)")
    let installed = try check("\(try #require(Self.stage))/usr/sbin/darkroomd")
    #expect(installed.status == 0, "\(installed.output)")
  }

  @Test(.enabled(if: stage != nil, none), arguments: programs)
  func `no installed program knows the variable of faults`(program: String) throws {
    let word = Data("DARKROOM_FAULT".utf8)
    let own = try Data(contentsOf: URL(filePath: "\(DaemonBench.programFolder)/darkroomd"))
    #expect(own.range(of: word) != nil || !DaemonBench.isDebugBuild)
    let path = "\(try #require(Self.stage))/usr/\(program)"
    let installed = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    #expect(installed.range(of: word) == nil)
  }

  @Test(.enabled(if: stage != nil, none), arguments: programs)
  func `a program needs no Swift runtime on the machine`(program: String) throws {
    let found = libraries(try look(program))
    let runtime = ["swift", "Foundation", "dispatch", "Blocks", "FoundationICU"]
    #expect(!found.contains { name in runtime.contains { name.contains($0) } }, "\(found)")
  }

  @Test(.enabled(if: stage != nil, none), arguments: programs)
  func `a program is position-independent, with read-only relocation tables`(program: String) throws
  {
    let run = try look(program)
    #expect(run.output.contains(#/Type: +DYN/#))
    #expect(run.output.contains(#/FLAGS_1.*NOW.*PIE/#))
    let segments = run.lines.filter { $0.contains(" 0x") }
    #expect(segments.contains { $0.contains("GNU_RELRO") })
    #expect(segments.contains { $0.contains(#/GNU_STACK.* RW /#) })
    let loose = segments.filter { $0.contains(#/LOAD.* RWE /#) }
    #expect(loose.isEmpty, "writable code")
  }
}
