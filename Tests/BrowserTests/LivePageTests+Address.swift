// SPDX-License-Identifier: Apache-2.0
// The way of a browser to the live page, and who learns the address of the page: no other port of the machine.

import Foundation
import Support
import Testing

extension LivePageTests {
  /// Runs `open` on a terminal with a display; returns the page that it gives the browser.
  private func page(of list: String, _ bench: DaemonBench, at base: String) async throws -> String {
    let (folder, copy) = (bench.folder.path, "\(bench.folder.path)/page.html")
    for (name, script) in [
      ("xdg-open", "cp \"$1\" \(copy).new && mv \(copy).new \(copy)"),
      ("sleep", "while [ ! -e \(copy) ]; do /bin/sleep .01; done"),
    ] {
      try bench.folder.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "fakes/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(folder)/fakes/\(name)")
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let end = try await TerminalProgram.run(
      [
        "\(DaemonBench.programFolder)/darkroomctl", "--root", bench.root, "open", "--address", base,
        list,
      ], columns: 120,
      environment: ["DISPLAY": ":0", "XDG_RUNTIME_DIR": folder, "PATH": "\(folder)/fakes:\(path)"])
    let isThere = try await Patience.sees { FileManager.default.fileExists(atPath: copy) }
    guard end.code == 0, isThere else { throw ProgramProblem("no page: \(end)") }
    return "file://\(copy)"
  }

  @Test func `a browser finds the list by its page, and other ports learn nothing`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let site = try await WebSite.start(bench)
      let page = try await page(of: "summer", bench, at: site.base)
      try await WebBrowser.use { browser in
        try look(browser, at: page)
        try await waits(browser, for: "\(Self.pictures) === 5")
        let address = try #require(try browser.value(of: "location.pathname") as? String)
        #expect(address.contains(#/^\/v\/[0-9a-f]{32}\/lists\/1\/$/#), "\(address)")
        let cookies = try browser.inspect("Network.getAllCookies")["cookies"] as? [Any]
        #expect(cookies?.isEmpty == true, "\(cookies ?? [])")
        // A page of another user of the machine.
        let other = bench.origin.url("/1.jpg")
        _ = try browser.value(of: "(location.href = '\(other)', 1)")
        try await waits(browser, for: "location.href === '\(other)' && document.referrer === ''")
        try browser.command("back")
        try await waits(browser, for: "\(Self.pictures) === 5")
      }
      await bench.origin.release("g")
      try await bench.stop(daemon)
    }
  }
}
