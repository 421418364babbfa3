// SPDX-License-Identifier: Apache-2.0
// `make` on a machine without some packages, with stand-ins for apt: what is said, what is upgraded, and that it waits for
// another apt.

import Foundation
import Support
import Testing

@Suite struct PackageInstallTests {
  private let folder: FreshFolder

  init() throws {
    folder = try FreshFolder()
    try tool("id", "echo 0")
    try tool("sleep", "echo sleep >>$log")
    // Only the package `here` is installed.
    try tool("dpkg-query", "for last; do :; done; [ $last = here ] && echo 'install ok installed'")
    try tool("apt-cache", "[ $2 = libthing-dev ] && cat $folder/versions; :")
  }

  /// - Parameters:
  ///   - plan: what `apt-get install -s` says; `fitting` if versions are named.
  ///   - busy: how often the lists are locked.
  private func apt(plan: String, fitting: String = "", versions: String = "", busy: Int = 0) throws
  {
    try folder.write(Array(plan.utf8), to: "plan")
    try folder.write(Array(fitting.utf8), to: "fitting")
    try folder.write(Array(versions.utf8), to: "versions")
    try tool(
      "apt-get",
      """
      echo "apt-get $*" >>$log
      case "$*" in
      update*)
        [ "$(grep -c '^apt-get update' $log)" -gt \(busy) ] || {
          echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)' >&2
          exit 100
        } ;;
      *' -s '*=*) cat $folder/fitting ;;
      *' -s '*) cat $folder/plan ;;
      esac
      """)
  }

  private func tool(_ name: String, _ script: String) throws {
    let text = "#!/bin/sh\nfolder='\(folder.path)' log='\(folder.path)/log'\n\(script)\n"
    try folder.write(Array(text.utf8), to: name)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(folder.path)/\(name)")
  }

  private func install(_ packages: String...) async throws -> ProgramEnd {
    try await RunningProgram.start(
      [
        "/usr/bin/env", "PATH=\(folder.path):/usr/bin:/bin",
        Repository.path("etc/install-packages"),
      ] + packages
    ).end()
  }

  private var log: [Substring] {
    String(decoding: folder.bytes(of: "log") ?? [], as: UTF8.self).split(separator: "\n")
  }

  @Test func `a machine that has everything is left alone`() async throws {
    try apt(plan: "")
    let end = try await install("here")
    #expect(end.code == 0 && end.output.isEmpty && log.isEmpty)
  }

  @Test func `what will be installed is said before, and nothing is upgraded`() async throws {
    try apt(plan: "Inst libthing1 (2 Debian [amd64])\nInst libthing-dev (2 Debian [amd64])\n")
    let end = try await install("here", "libthing-dev")
    #expect(
      end.output == "missing packages: libthing-dev\nto be installed: libthing1 libthing-dev\n")
    let last = try #require(log.last)
    #expect(last.contains("install -y") && last.hasSuffix(" libthing-dev"))
    #expect(last.contains("--no-upgrade") && last.contains("DPkg::Lock::Timeout="))
    #expect(last.contains("--no-remove"))
  }

  @Test func `the version that fits what is installed is taken`() async throws {
    try apt(
      plan: "Inst libthing1 [1] (2 Debian [amd64])\nInst libthing-dev (2 Debian [amd64])\n",
      fitting: "Inst libthing-dev (1 Debian [amd64])\n",
      versions: "libthing-dev | 2 | http://x\nlibthing-dev | 1 | http://x\n")
    let end = try await install("libthing-dev")
    #expect(!end.output.contains("upgraded"), "\(end)")
    #expect(log.last?.hasSuffix(" libthing-dev=1") == true)
  }

  @Test func `an upgrade that cannot be avoided is told with its versions`() async throws {
    let plan = "Inst libthing1 [1] (2 Debian [amd64])\nInst libthing-dev (2 Debian [amd64])\n"
    try apt(plan: plan, fitting: plan, versions: "libthing-dev | 2 | http://x\n")
    let end = try await install("libthing-dev")
    #expect(end.code == 0 && end.output.hasSuffix(":\n  libthing1 from 1 to 2\n"), "\(end)")
  }

  @Test func `another apt is waited for`() async throws {
    try apt(plan: "Inst libthing-dev (2 Debian [amd64])\n", busy: 3)
    let end = try await install("libthing-dev")
    #expect(end.code == 0 && end.output.contains("waiting for another apt to end\n"), "\(end)")
    #expect(log.filter { $0 == "sleep" }.count == 3)
  }

  @Test func `any other trouble of apt ends it`() async throws {
    try apt(plan: "")
    try tool("apt-get", "echo 'E: no network' >&2; exit 100")
    let end = try await install("libthing-dev")
    #expect(end.code == 1 && end.errors.contains("E: no network"), "\(end)")
  }
}
