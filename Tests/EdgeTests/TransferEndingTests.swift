// SPDX-License-Identifier: Apache-2.0
// Endings that no origin on loopback can produce, as values.

import Testing
import Vocabulary

@testable import Transfer

struct TransferEndingTests {
  private func ending(_ code: UInt32, _ change: (inout TransferEnding) -> Void = { _ in }) throws
    -> TransferEnding.Outcome
  {
    let url = try PhotoURL(parsing: "https://photos.example.org/a.jpg?token=secret")
    var ending = TransferEnding(url: url, code: code)
    change(&ending)
    return ending.outcome(timeout: .seconds(600), connectTimeout: .seconds(10))
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
      (60, .final, "tls.certificate", "the certificate of photos.example.org cannot be trusted"),
      (63, .final, "size.limit", "photos.example.org sends too much"),
      (
        77, .machine, "tls.authorities",
        "this machine's list of certificate authorities cannot be read"
      ),
      (92, .passing, "http.stream", "photos.example.org aborted its answer"),
      (94, .passing, "transfer.94", "the transfer from photos.example.org failed (libcurl 94)"),
    ] as [(UInt32, Failure.Kind, String, String)])
  func words(_ number: UInt32, _ kind: Failure.Kind, _ code: String, _ reason: String) throws {
    let failure = failure(try ending(number))
    #expect(failure?.kind == kind)
    #expect(failure?.code == code)
    #expect(failure?.reason == reason)
  }

  @Test(
    "The kernel's error number explains a failed connection",
    arguments: [
      (111, "connect.refused"), (101, "connect.unreachable"), (113, "connect.unreachable"),
      (110, "connect.failed"),
    ] as [(Int32, String)])
  func unconnected(_ number: Int32, _ code: String) throws {
    #expect(failure(try ending(7) { $0.systemError = number })?.code == code)
  }

  @Test func `A late transfer and a slow one have different reasons`() throws {
    let late = failure(try ending(28) { ($0.isLate, $0.isConnected) = (true, true) })
    #expect(late?.reason == "photos.example.org did not finish within 600 s")
    #expect(failure(try ending(28) { $0.isConnected = true })?.code == "time.slow")
  }

  @Test func `One endless header line is the origin's fault, not this machine's`() throws {
    #expect(failure(try ending(27) { $0.isConnected = true })?.code == "header.limit")
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

  @Test func `A failure on our own side outranks the one that libcurl reports`() throws {
    let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
    #expect(try ending(23) { ($0.status, $0.answer.problem) = (200, full) } == .failed(full))
  }
}
