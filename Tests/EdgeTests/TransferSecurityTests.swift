// SPDX-License-Identifier: Apache-2.0
// TLS with a certificate made for the test: trusted only when it is named, and only for its own
// host.

import Support
import Testing
import Transfer
import Vocabulary

struct TransferSecurityTests {
  private static func certificate(in fresh: FreshFolder) async -> Bool {
    await HelperProcess.status(of: [
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
      "/CN=origin", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(fresh.path)/key",
      "-out", "\(fresh.path)/certificate",
    ]) == 0
  }

  private func bench(trusting: Bool) async throws -> TransferBench {
    let fresh = try FreshFolder()
    guard await Self.certificate(in: fresh) else {
      try Test.cancel("openssl could not make a certificate here")
    }
    let settings = try TransferBench.loopback { settings in
      if trusting { settings.authorities = "\(fresh.path)/certificate" }
    }
    return try TransferBench(
      settings, certificate: "\(fresh.path)/certificate", key: "\(fresh.path)/key", in: fresh)
  }

  @Test func `A certificate that nobody vouches for is refused`() async throws {
    let bench = try await bench(trusting: false)
    let failure = await bench.failure(bench.origin.url("/barn.jpg", scheme: "https"))
    await bench.stop()
    #expect(failure?.code == "tls.certificate")
    #expect(failure?.kind == .final)
    #expect(bench.origin.requests().isEmpty)
  }

  @Test func `A trusted certificate is good for its host and for no other`() async throws {
    let bench = try await bench(trusting: true)
    let reply = try await bench.fetch(url: bench.origin.url("/barn.jpg", scheme: "https"))
    #expect(reply.size == 19)
    let other = bench.origin.url("/barn.jpg", host: "localhost", scheme: "https")
    let failure = await bench.failure(other)
    await bench.stop()
    #expect(failure?.code == "tls.certificate")
  }

  @Test func `A redirect from https to http is not followed`() async throws {
    let bench = try await bench(trusting: true)
    let target = bench.origin.url("/barn.jpg")
    let failure = await bench.failure(
      bench.origin.url("/redirect?to=\(target)", scheme: "https"))
    await bench.stop()
    #expect(failure?.code == "redirect.insecure")
    #expect(bench.origin.requests().count == 1)
  }

  @Test func `Plain HTTP on the other side is no secure connection`() async throws {
    let bench = try TransferBench()
    let failure = await bench.failure(bench.origin.url("/barn.jpg", scheme: "https"))
    await bench.stop()
    #expect(failure?.code == "tls.failed")
    #expect(failure?.kind == .passing)
  }
}
