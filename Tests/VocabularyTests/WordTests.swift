// SPDX-License-Identifier: Apache-2.0
// The small types: states, classes, numbers, kernel errors.

import Testing
import Vocabulary

@Suite struct WordTests {
  @Test func `a photo has exactly four states, with the names in the design`() {
    #expect(PhotoState.allCases.map(\.name) == ["new", "downloaded", "filtered", "failed"])
    #expect(PhotoState.allCases.map(\.isFinal) == [false, false, true, true])
    // Files hold the numbers, so they never change.
    #expect(PhotoState.allCases.map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test func `a list has exactly five states, two of them final`() {
    let names = ["accepted", "running", "paused", "finished", "cancelled"]
    #expect(ListState.allCases.map(\.name) == names)
    #expect(ListState.allCases.filter(\.isFinal) == [.finished, .cancelled])
  }

  @Test func `the five classes have Foundation's names, the urgent ones come first`() {
    let names = ["userInteractive", "userInitiated", "default", "utility", "background"]
    #expect(ServiceClass.allCases.sorted().map(\.name) == names)
    for name in names { #expect(ServiceClass(name: name)?.name == name) }
    #expect(ServiceClass.allCases.map(\.nice) == [0, 0, 5, 10, 19])
  }

  @Test(arguments: ["", "Default", "DEFAULT", "userinteractive", " default", "default ", "high"])
  func `the name of a class must match exactly`(name: String) {
    #expect(ServiceClass(name: name) == nil)
  }

  @Test func `the number of a photo is shown with that of its list`() {
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
  func `trouble of this machine is distinguished from trouble with one thing`(
    code: Int32, kind: Failure.Kind, word: String
  ) {
    let error = SystemError(code: code, call: "open", thing: "barn")
    #expect(error.failure.kind == kind)
    #expect(error.failure.code == word)
    #expect(error.failure.reason.hasPrefix("open barn: "))
    #expect(error.isDiskFull == (word == "disk.full"))
  }

  @Test func `a kernel error names the call, the thing and the reason`() {
    let words =
      [
        (2, "rename a: no such file or directory"), (17, "rename a: it already exists"),
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

  @Test func `every error number of calls on files, sockets and processes has words`() {
    // STREAMS, Xenix, old program formats, robust mutexes and radios are not used here.
    let others: [ClosedRange<Int32>] = [
      41...51, 53...60, 63...66, 68...69, 72...73, 78...83, 86...86, 118...120, 130...132,
    ]
    let codes = (1...133).filter { code in !others.contains { $0.contains(code) } }
    let words = codes.map { SystemError(code: $0, call: "", thing: "").words }
    #expect(words.filter { $0.hasPrefix("error ") } == [])
    #expect(Set(words).count == words.count)
    #expect(SystemError(.noSpace, call: "", thing: "").code == 28)
    #expect(SystemError(code: 9999, call: "", thing: "").name == nil)
  }

  @Test(
    arguments: [
      (.inputOutput, true), (.denied, true), (.missing, true), (.filesOpen, false),
      (.noSpace, false), (.readOnly, false), (.outOfMemory, false), (.cancelled, false),
      (.stale, true),
    ] as [(SystemError.Name, Bool)])
  func `trouble of one thing is not trouble of all`(name: SystemError.Name, isOfOne: Bool) {
    #expect(SystemError(name, call: "", thing: "").isOfOneThing == isOfOne)
  }

  @Test func `a folder of another user comes with the command that helps`() {
    for call in ["open", "openat", "mkdirat", "renameat"] {
      let error = SystemError(.denied, call: call, thing: "/p/summer")
      #expect(error.machineFailure.advice.contains("chown -R USER FOLDER"))
      #expect(error.failure.advice.isEmpty)
    }
    #expect(SystemError(.denied, call: "execve", thing: "/w").machineFailure.advice.isEmpty)
    #expect(SystemError(.readOnly, call: "openat", thing: "/p").machineFailure.advice.isEmpty)
  }

  @Test func `a cancellation is not trouble of this machine`() {
    #expect(SystemError.cancelled.machineFailure == .cancelled)
    let missing = SystemError(.missing, call: "open", thing: "a")
    let failure = #expect(throws: Failure.self) {
      try asMachine { () throws(SystemError) in throw missing }
    }
    #expect(failure?.kind == .machine && failure?.code == SystemError.Name.missing.failureCode)
  }

  @Test func `a failure shows its code and its reason`() {
    let failure = Failure(.final, code: "http.404", reason: "there is no such photo")
    #expect("\(failure)" == "http.404: there is no such photo")
    #expect(failure.advice.isEmpty && failure.waitSeconds == nil)
    #expect(Failure.cancelled.kind == .cancelled)
    #expect(Stage.allCases.map(\.name) == ["download", "filter", "output"])
  }

  @Test(
    arguments: [
      (0, "0 s"), (1, "1 ms"), (250, "250 ms"), (999, "999 ms"), (1000, "1 s"), (1500, "1.5 s"),
      (1540, "1.5 s"), (9949, "9.9 s"), (9950, "10 s"), (10_400, "10 s"), (90_000, "90 s"),
      (119_400, "119 s"), (120_000, "2 min"), (150_000, "2 min 30 s"), (599_000, "9 min 59 s"),
      (600_000, "10 min"), (629_000, "10 min"), (3_600_000, "60 min"),
    ])
  func `a length of time is shown rounded`(milliseconds: Int, words: String) {
    #expect(Duration.milliseconds(milliseconds).spoken == words)
  }

  @Test func `hex digits are lower case with leading zeros, percent-encoding has capitals`() {
    #expect(String(hex: [0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
    #expect(String(hex: [UInt8]()) == "")
    #expect(String(hex: 0xABC as UInt32) == "00000abc")
    #expect(String(hex: UInt64.max) == "ffffffffffffffff")
    #expect(String(hex: 0x0B as UInt8) == "0b")
    var bytes: [UInt8] = []
    bytes.append(hex: 0x12AB, digits: 3)
    bytes.append(percent: 0xE9)
    #expect(String(decoding: bytes, as: UTF8.self) == "2ab%E9")
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"),
      (951_782_399_000, "2000-02-28T23:59:59Z"),
      (951_868_800_000, "2000-03-01T00:00:00Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00Z"),
      (1_763_712_345_678, "2025-11-21T08:05:45Z"),
      (.max, "9999-12-31T23:59:59Z"),
    ] as [(UInt64, String)])
  func `a time is written to the second, in UTC`(milliseconds: UInt64, text: String) {
    #expect(DateText.utc(milliseconds: milliseconds) == text)
  }
}
