// SPDX-License-Identifier: Apache-2.0
// Endings that no origin on loopback can produce, as values.

import Support
import Testing
import Vocabulary

@testable import Transfer

struct TransferEndingTests {
  private func ending(
    _ code: UInt32, within timeout: Duration = .seconds(600),
    _ change: (inout TransferEnding) -> Void = { _ in }
  ) throws -> TransferEnding.Outcome {
    let url = try PhotoURL(parsing: "https://photos.example.org/a.jpg?token=secret")
    var ending = TransferEnding(url: url, code: code)
    change(&ending)
    return ending.outcome(timeout: timeout, connectTimeout: .seconds(10))
  }

  private func failure(_ outcome: TransferEnding.Outcome) -> Failure? {
    if case .failed(let failure) = outcome { failure } else { nil }
  }

  @Test(arguments: 400..<600)
  func `the advice about a status is a sentence without its full stop`(status: Int) {
    let advice = StatusWords.advice(status)
    #expect(advice.isEmpty || advice.first?.isUppercase == true && advice.last != ".")
  }

  @Test(
    "An error of libcurl becomes a kind, a code and words",
    arguments: [
      (1, .final, "http.malformed", "the answer of photos.example.org is not HTTP"),
      (2, .machine, "transfer.resources", "this machine cannot open another transfer"),
      (6, .passing, "dns.failed", "no address was found for photos.example.org"),
      (7, .passing, "connect.failed", "no connection to photos.example.org"),
      (16, .passing, "http.stream", "photos.example.org aborted its answer"),
      (18, .passing, "size.short", "photos.example.org ended after 0 bytes"),
      (27, .machine, "transfer.resources", "this machine cannot open another transfer"),
      (28, .passing, "connect.timeout", "photos.example.org could not be reached within 10 s"),
      (35, .passing, "tls.failed", "no secure connection to photos.example.org"),
      (
        52, .passing, "connect.closed",
        "photos.example.org closed the connection without an answer"
      ),
      (55, .passing, "connect.reset", "the connection to photos.example.org broke"),
      (56, .passing, "connect.reset", "the connection to photos.example.org broke"),
      (
        61, .final, "http.encoding",
        "photos.example.org sends the photo encoded, which the daemon does not decode"
      ),
      (
        77, .machine, "tls.authorities",
        "this machine's list of certificate authorities cannot be read"
      ),
      (92, .passing, "http.stream", "photos.example.org aborted its answer"),
      (
        94, .passing, "transfer.94",
        "the transfer from photos.example.org failed: "
          + "An authentication function returned an error"
      ),
    ] as [(UInt32, Failure.Kind, String, String)])
  func words(_ number: UInt32, _ kind: Failure.Kind, _ code: String, _ reason: String) throws {
    let failure = failure(try ending(number))
    #expect(failure?.kind == kind)
    #expect(failure?.code == code)
    #expect(failure?.reason == reason)
  }

  @Test("No error of libcurl is told by its number alone", arguments: 1...UInt32(100))
  func worded(_ number: UInt32) throws {
    let failure = failure(try ending(number))
    #expect(failure?.reason.contains("\(number)") == false)
    #expect((failure?.reason.utf8.count ?? 0) > 20)
  }

  @Test(
    "A refused certificate has its reason and its remedy",
    arguments: [
      (
        10, "tls.expired", "has expired",
        "The host's operator must renew it, unless this machine's clock is wrong"
      ),
      (9, "tls.early", "is not valid yet", "Check this machine's clock"),
      (
        18, "tls.self-signed", "is self-signed",
        "If you trust it, add it to this machine's authorities with update-ca-certificates"
      ),
      (
        19, "tls.issuer", "is signed by an unknown authority",
        "The host must send its intermediate certificates. "
          + "If you trust the authority, add it with update-ca-certificates"
      ),
      (
        20, "tls.issuer", "is signed by an unknown authority",
        "The host must send its intermediate certificates. "
          + "If you trust the authority, add it with update-ca-certificates"
      ),
      (1, "tls.name", "is for another host", "Use the host name for which it was issued"),
      (62, "tls.name", "is for another host", "Use the host name for which it was issued"),
      (23, "tls.certificate", "cannot be trusted", ""),
    ])
  func certificate(_ verdict: Int, _ code: String, _ words: String, _ advice: String) throws {
    let failure = failure(try ending(60) { $0.certificate.verdict = verdict })
    #expect(failure?.kind == (code == "tls.early" ? .passing : .final) && failure?.code == code)
    #expect(failure?.reason == "the certificate of photos.example.org \(words)")
    #expect(failure?.advice == advice)
  }

  @Test func `A clock that is earlier than this version blames no photo and no host`() throws {
    for (verdict, time, code, kind) in [
      (9, Release.date - 1, "clock.wrong", .machine), (9, Release.date, "tls.early", .passing),
      (10, Release.date - 1, "tls.expired", .final),
    ] as [(Int, UInt64, String, Failure.Kind)] {
      let failure = failure(try ending(60) { $0.certificate = (verdict, time) })
      #expect(failure?.code == code && failure?.kind == kind)
    }
    let failure = failure(try ending(60) { $0.certificate = (9, 1000) })
    #expect(failure?.reason.contains("it shows 1970-01-01T00:00:01Z, and version") == true)
  }

  @Test func `The date of this version is that of its package`() throws {
    let date = DateText.utc(milliseconds: Release.date)
    let months =
      ["Jan", "Feb", "Mar", "Apr", "May", "Jun"] + ["Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = date.split { "-TZ".contains($0) }
    let month = try #require(Int(parts[1]).map { months[$0 - 1] })
    let changes = Repository.text("debian/changelog")
    #expect(changes.hasPrefix("darkroom (\(Release.version)) "))
    #expect(changes.contains(", \(parts[2]) \(month) \(parts[0]) \(parts[3]) +0000\n"))
  }

  @Test func `A location that libcurl finds too long is named so`() throws {
    let outcome = try ending(27) { ($0.reach, $0.status) = (.connected, 302) }
    #expect(failure(outcome)?.reason == "the header that photos.example.org sends is too long")
  }

  @Test(
    "The kernel's error number explains a failed connection",
    arguments: [
      (111, "connect.refused"), (101, "connect.unreachable"), (113, "connect.unreachable"),
      (110, "connect.failed"), (1, "connect.forbidden"), (13, "connect.forbidden"),
    ] as [(Int32, String)])
  func unconnected(_ number: Int32, _ code: String) throws {
    #expect(failure(try ending(7) { $0.systemError = number })?.code == code)
  }

  @Test func `A machine without a network blames no host`() throws {
    for (code, error) in [
      (6, 0), (7, 100), (7, 101), (7, 110), (7, 113), (28, 0), (35, 0), (55, 0), (56, 0),
    ] as [(UInt32, Int32)] {
      var maybe = false
      let trouble = failure(
        try ending(code) {
          $0.systemError = error
          maybe = $0.mayBeOffline
          $0.reach = .offline
        })
      #expect(maybe && trouble?.kind == .machine && trouble?.scope == .one, "\(code)")
      #expect(trouble?.code == "network.down")
    }
  }

  @Test func `An answer, a refusal and an end of the connection come from a network`() throws {
    for (code, error) in [
      (0, 0), (7, 1), (7, 13), (7, 111), (16, 0), (18, 0), (52, 0), (60, 0), (92, 0),
    ] as [(UInt32, Int32)] {
      _ = try ending(code) {
        $0.systemError = error
        #expect(!$0.mayBeOffline, "\(code)")
      }
    }
    _ = try ending(28) {
      $0.status = 503
      #expect(!$0.mayBeOffline)
    }
    _ = try ending(56) {
      $0.words = "Illegal or missing hexadecimal sequence in chunked-encoding"
      #expect(!$0.mayBeOffline)
    }
  }

  @Test func `A message that reaches no server within its whole time did not reach it`() throws {
    for isConnected in [false, true] {
      let late = try ending(28, within: .seconds(2)) {
        ($0.isLate, $0.answer.asked) = (true, .message)
        if isConnected { $0.reach = .connected }
      }
      let failure = try #require(self.failure(late))
      let words = isConnected ? "did not finish within 2 s" : "could not be reached within 2 s"
      #expect(failure.code == (isConnected ? "time.out" : "connect.timeout"))
      #expect(failure.reason == "photos.example.org \(words)")
    }
    let download = failure(try ending(28) { $0.isLate = true })
    #expect(download?.code == "time.out", "a redirect may have taken the time")
  }

  @Test func `A late transfer and a slow one have different reasons`() throws {
    let late = failure(try ending(28) { ($0.isLate, $0.reach) = (true, .connected) })
    #expect(late?.reason == "photos.example.org did not finish within 600 s")
    #expect(failure(try ending(28) { $0.reach = .connected })?.code == "time.slow")
  }

  @Test func `One endless header line is the origin's fault, not this machine's`() throws {
    #expect(failure(try ending(27) { $0.reach = .connected })?.code == "header.limit")
  }

  @Test func `An error status stays an error, however its body ended`() throws {
    for code: UInt32 in [0, 18, 23, 28, 56, 63] {
      #expect(failure(try ending(code) { $0.status = 404 })?.code == "http.404")
    }
  }

  @Test func `The announced size must have arrived, whatever libcurl reports`() throws {
    let short = try ending(0) { ($0.status, $0.announced, $0.answer.received) = (200, 10, 9) }
    #expect(failure(short)?.code == "size.short")
    #expect(failure(short)?.kind == .passing)
    let whole = try ending(0) { ($0.status, $0.announced, $0.answer.received) = (200, 10, 10) }
    #expect(whole == .whole(TransferReply(status: 200, size: 10)))
  }

  @Test func `A coded body is whole when its coding has ended`() throws {
    func ended(_ isEndSure: Bool) throws -> TransferEnding.Outcome {
      try ending(0) {
        ($0.status, $0.answer.received, $0.isEndSure) = (200, 10, isEndSure)
        $0.answer.coding = ContentCoding(["gzip"])
      }
    }
    #expect(try ended(true) == .whole(TransferReply(status: 200, size: 10)))
    let short = try failure(ended(false))
    #expect(short?.code == "size.short" && short?.kind == .passing)
  }

  @Test func `A failure on our own side outranks the one that libcurl reports`() throws {
    let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
    #expect(try ending(23) { ($0.status, $0.answer.problem) = (200, full) } == .failed(full))
  }
}
