// SPDX-License-Identifier: Apache-2.0
// The small words: states, classes, numbers, errors of the kernel.

import Testing
import Vocabulary

@Suite struct WordTests {
  @Test func `a photo has exactly four states, and their names are the design's`() {
    #expect(PhotoState.allCases.map(\.name) == ["new", "downloaded", "filtered", "failed"])
    #expect(PhotoState.allCases.map(\.isFinal) == [false, false, true, true])
    // They are kept in files: their numbers never change.
    #expect(PhotoState.allCases.map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test func `a list has exactly five states, two of them final`() {
    let names = ["accepted", "running", "paused", "finished", "cancelled"]
    #expect(ListState.allCases.map(\.name) == names)
    #expect(ListState.allCases.filter(\.isFinal) == [.finished, .cancelled])
    #expect(ListState.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
  }

  @Test func `the five classes have Foundation's names, the urgent ones come first`() {
    let names = ["userInteractive", "userInitiated", "default", "utility", "background"]
    #expect(ServiceClass.allCases.sorted().map(\.name) == names)
    for name in names { #expect(ServiceClass(name: name)?.name == name) }
    #expect(ServiceClass.allCases.map(\.nice) == [0, 0, 5, 10, 19])
  }

  @Test(arguments: ["", "Default", "DEFAULT", "userinteractive", " default", "default ", "high"])
  func `a class is written exactly so`(name: String) {
    #expect(ServiceClass(name: name) == nil)
  }

  @Test func `a photo's number is shown with its list's`() {
    let photo = PhotoID(list: ListID(17), number: 3)
    #expect("\(photo)" == "17/3")
    #expect(ListID(2) < ListID(10))
  }

  @Test(
    arguments: [
      (5, Failure.Kind.machine, "system.5"), (12, .machine, "system.12"),
      (23, .machine, "system.23"), (24, .machine, "system.24"), (30, .machine, "system.30"),
      (28, .machine, "disk.full"), (122, .machine, "disk.full"),
      (2, .final, "system.2"), (13, .final, "system.13"), (1, .final, "system.1"),
      (36, .final, "system.36"), (40, .final, "system.40"), (9999, .final, "system.9999"),
    ] as [(Int32, Failure.Kind, String)])
  func `trouble of this machine is told from what is wrong with a thing`(
    code: Int32, kind: Failure.Kind, word: String
  ) {
    let error = SystemError(code: code, call: "open", thing: "barn")
    #expect(error.failure.kind == kind)
    #expect(error.failure.code == word)
    #expect(error.failure.reason.hasPrefix("open barn: "))
    #expect(error.isDiskFull == (word == "disk.full"))
  }

  @Test func `an error of the kernel says call, thing and why`() {
    let words =
      [
        (2, "rename a: no such file or directory"), (17, "rename a: it exists already"),
        (28, "rename a: no space left on device"), (30, "rename a: read-only file system"),
        (4711, "rename a: error 4711"),
      ] as [(Int32, String)]
    for (code, text) in words {
      #expect("\(SystemError(code: code, call: "rename", thing: "a"))" == text)
    }
    #expect(SystemError(code: 2, call: "", thing: "").isMissing)
    #expect(SystemError(code: 17, call: "", thing: "").exists)
    #expect(!SystemError(code: 17, call: "", thing: "").isMissing)
  }

  @Test func `a failure shows its code and its reason`() {
    let failure = Failure(.final, code: "http.404", reason: "there is no such photo")
    #expect("\(failure)" == "http.404: there is no such photo")
    #expect(failure.advice.isEmpty && failure.waitSeconds == nil)
    #expect(Failure.cancelled.kind == .cancelled)
    #expect(Stage.allCases.map(\.name) == ["download", "filter", "output"])
  }
}
