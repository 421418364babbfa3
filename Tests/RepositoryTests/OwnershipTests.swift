// SPDX-License-Identifier: Apache-2.0
// Who owns what, held by machine: a list's life has one keeper, tasks have owners, locks are few, and no
// part is joined to another by a callback.

import Foundation
import Support
import Testing

@Suite struct OwnershipTests {
  private func places(_ pattern: some RegexComponent, in targets: String...) -> [String] {
    let files = Repository.sources.filter { file in
      targets.isEmpty || targets.contains { file.target.hasPrefix($0) }
    }
    return files.flatMap { file in
      file.code.filter { $0.contains(pattern) }.map { "\(file.path): \($0)" }
    }
  }

  private func files(_ places: [String]) -> Set<String> {
    Set(places.compactMap { $0.split(separator: ":").first.map(String.init) })
  }

  @Test func `one place records that a list is paused, resumed, cancelled or finished`() {
    let found = places(#/: \.(?:paused|resumed|cancelled|finished)\(/#, in: "darkroomd")
    #expect(files(found) == ["Sources/darkroomd/Lists/ListWork.swift"], "\(found)")
    let others = places(#/(?:Change|\[)\.(?:paused|resumed|cancelled|finished)\(/#, in: "darkroomd")
    #expect(others.isEmpty, "\(others)")
  }

  @Test func `a list's life changes inside its value, and its keeper alone holds the lives`() {
    let holders = places(#/= ListLives\(\)|= ListLife\(/#)
    #expect(
      files(holders) == [
        "Sources/darkroomd/Lives/ListKeeper.swift", "Sources/darkroomd/Lives/ListLives.swift",
      ], "\(holders)")
  }

  @Test func `the composition has no method for one list`() {
    let file = Repository.sources.first { $0.path == "Sources/darkroomd/Darkroom.swift" }
    let found = (file?.code ?? []).filter {
      $0.contains("func ") && $0.contains(#/: ListID\b/#)
    }
    #expect(file != nil && found.isEmpty, "\(found)")
  }

  @Test func `tasks without an owner begin in at most three files`() {
    let found = places(
      #/TaskHome\.\w+\.start|Task\.detached|Task\.immediate|\bTask \{|reactor\.start/#
    )
    .filter { !$0.hasPrefix("Sources/System/Linux/") }
    #expect(files(found).count <= 3 && !found.isEmpty, "\(found)")
  }

  @Test func `locks are few`() {
    let lock = #/\b(?:let|var) \w+(?:: Mutex<| = Mutex[(<])/#
    #expect(places(lock, in: "darkroomd").count <= 22)
    let all = places(lock)
    #expect(all.count <= 61 && all.count > 10, "\(all.count)")
  }

  @Test func `continuations are made in one place`() {
    let found = places(#/with(?:Checked|Unsafe)(?:Throwing)?Continuation/#)
    #expect(files(found) == ["Sources/System/Linux/Reply.swift"], "\(found)")
  }

  @Test func `no part of the daemon is told later whom to call`() {
    let found = places(
      #/^ +(?:private |fileprivate )?var \w+: .*(?:\)|\?) ?-> .*\?? *(?:=|$)/#, in: "darkroomd"
    )
    .filter { !$0.contains("{") }
    let settable = found.filter { !$0.contains("Settings/SettingForm") }
    #expect(settable.isEmpty, "\(settable)")
  }

  @Test func `a timer only rings, gives or puts`() {
    let found = places(#/\.after\(.*\{/#).filter { !$0.contains("func after") }
    let allowed = found.filter {
      $0.contains(
        #/\{ (?:alarm\.ring\(\)|self\.release\(ticket\)|self\.grow\(\)|\[mail\] in mail\.yield\(\.\w+\)) \}/#
      )
    }
    #expect(found.count == allowed.count && !found.isEmpty, "\(found)")
  }

  @Test
  func `waiting for a disk begins in one function, and nothing else names the disk's threads`() {
    let found = places(#/TaskHome\.disk/#)
    #expect(
      files(found).isSubset(of: [
        "Sources/System/Linux/TaskHome.swift", "Sources/darkroomd/Darkroom.swift",
        "Sources/Chain/StageOperation.swift", "Sources/System/Worker/PoolLoop.swift",
      ]), "\(found)")
    // A function or a stored closure would stay on the caller's thread.
    let calls = places(#/\bonDisk\b(?!:)/#).filter { !$0.contains("TaskHome.swift") }
    #expect(calls.count > 10)
    let others = calls.filter {
      !$0.contains(#/await onDisk \{|`onDisk|where onDisk|onDisk: (?:Bool|onDisk)/#)
    }
    #expect(others.isEmpty, "\(others)")
  }
}
