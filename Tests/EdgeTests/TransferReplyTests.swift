// SPDX-License-Identifier: Apache-2.0
// Replies of origins that are odd rather than hostile: each is a photo, or fails with exact words.

import Linux
import Support
import Testing
import Vocabulary

@testable import Transfer

struct TransferReplyTests {
  /// The reply of an origin, and what becomes of it.
  struct Row: CustomTestStringConvertible, Sendable {
    enum Outcome: Sendable {
      /// The photo of 19 bytes, whose end the protocol or the coding marks.
      case photo(status: Int)
      /// Fails for good if `isFinal`; otherwise another attempt follows. `HOST` stands for the origin.
      case failed(_ code: String, isFinal: Bool = true, _ words: String)
    }

    let path: String
    let outcome: Outcome

    init(_ path: String, _ outcome: Outcome) { (self.path, self.outcome) = (path, outcome) }

    var testDescription: String { path }
  }

  private static let photo = Row.Outcome.photo(status: 200)
  private static let short = Row.Outcome.failed(
    "size.short", isFinal: false, "HOST ended after 19 bytes")

  private static func damaged(_ name: String) -> Row.Outcome {
    .failed("http.encoding", "HOST sends the photo encoded as '\(name)', which cannot be decoded")
  }

  private static func undecoded(_ name: String) -> Row.Outcome {
    .failed(
      "http.encoding",
      "HOST sends the photo encoded as '\(name)', which the daemon does not decode")
  }

  private static let codings = [
    // With any other name, the bytes are the photo.
    Row("/coded?as=", photo), Row("/coded?as=identity", photo), Row("/coded?as=,", photo),
    Row("/coded?as=identity,%20identity", photo), Row("/coded?as=identity%7Cidentity", photo),
    Row("/coded?as=none", photo), Row("/coded?as=UTF-8", photo), Row("/coded?as=binary", photo),
    Row("/coded?as=aws-chunked", photo), Row("/coded?as=aws-chunked,", photo),
    Row("/coded?as=identity,UTF-8", photo), Row("/coded?as=gzip%C3%A9", photo),
    Row("/coded?as=\(String(repeating: "g", count: 65))", photo),
    // Codings that were sent although none was asked for.
    Row("/coded?with=gzip", photo), Row("/coded?with=gzip&as=GZIP", photo),
    Row("/coded?with=gzip&as=x-gzip", photo), Row("/coded?with=deflate", photo),
    Row("/coded?with=raw-deflate&as=deflate", photo),
    Row("/coded?with=gzip&as=identity,gzip", photo),
    Row("/coded?as=gzip", damaged("gzip")), Row("/coded?as=deflate", damaged("deflate")),
    Row("/coded?with=gzip&then=damaged", damaged("gzip")),
    Row("/coded?with=gzip&then=trailed", damaged("gzip")),
    Row("/coded?with=gzip&then=cut", short), Row("/coded?with=gzip&then=ended", short),
    Row("/coded?with=br", undecoded("br")), Row("/coded?with=zstd", undecoded("zstd")),
    Row("/coded?with=gzip-gzip&as=gzip,%20gzip", undecoded("gzip, gzip")),
    Row("/coded?with=gzip-gzip&as=gzip%7Cgzip", undecoded("gzip, gzip")),
    Row("/coded?as=compress", undecoded("compress")),
    Row("/coded?with=gzip&as=aws-chunked,gzip", undecoded("aws-chunked, gzip")),
    Row("/framing?how=coding", undecoded("gzip")),
    Row(
      "/framing?how=codings",
      .failed("http.encoding", "HOST sends the photo encoded, which the daemon does not decode")),
  ]

  private static let statuses =
    [200, 201, 202, 203, 205, 207, 226, 299].map {
      Row("/answer?status=\($0)", .photo(status: $0))
    } + [
      Row(
        "/answer?status=206",
        .failed(
          "http.206", "HOST answered 206 Partial Content to a request for the whole file")),
      Row("/answer?status=300", .failed("http.300", "HOST answered 300 Multiple Choices")),
      Row("/304", .failed("http.304", "HOST answered 304 Not Modified")),
      Row("/answer?status=600", .failed("http.600", "HOST answered 600")),
    ]

  private static let framings = [
    Row(
      "/framing?how=chunk-words",
      .failed("http.malformed", "the answer of HOST has malformed chunks")),
    Row(
      "/framing?how=chunk-huge",
      .failed("http.malformed", "the answer of HOST has malformed chunks")),
    Row(
      "/framing?how=chunk-after",
      .failed("http.malformed", "the answer of HOST has malformed chunks")),
    Row(
      "/framing?how=length-words",
      .failed(
        "http.malformed", "the answer of HOST is not HTTP: Invalid Content-Length: value")),
    Row(
      "/framing?how=length-minus",
      .failed(
        "http.malformed", "the answer of HOST is not HTTP: Invalid Content-Length: value")),
    Row(
      "/framing?how=no-colon",
      .failed("http.malformed", "the answer of HOST is not HTTP: Header without colon")),
    Row(
      "/framing?how=nul",
      .failed("http.malformed", "the answer of HOST is not HTTP: Nul byte in header")),
    Row("/framing?how=version", .failed("http.malformed", "the answer of HOST is not HTTP")),
    Row("/framing?how=words", .failed("http.malformed", "the answer of HOST is not HTTP")),
    Row("/header-flood", .failed("header.limit", "the header that HOST sends is too long")),
    Row("/header-long", .failed("header.limit", "the header that HOST sends is too long")),
    Row(
      "/redirect-huge?size=1000000",
      .failed("header.limit", "the header that HOST sends is too long")),
    Row(
      "/redirect-huge?size=90000",
      .failed("header.limit", "the header that HOST sends is too long")),
    Row(
      "/redirect-huge?size=20000",
      .failed(
        "redirect.refused",
        "HOST redirects to a URL that cannot be used: the URL is longer than 16384 bytes")),
  ]

  @Test("An odd reply is a photo or fails with its words", arguments: codings + statuses + framings)
  func reply(_ row: Row) async throws {
    let bench = try TransferBench()
    let ending: Result<TransferReply, any Error>
    do { ending = .success(try await bench.fetch(url: bench.origin.url(row.path))) } catch {
      ending = .failure(error)
    }
    #expect(try await bench.closesFiles())
    await bench.stop()
    switch row.outcome {
    case .photo(let status):
      let reply = try ending.get()
      #expect((reply.status, reply.size) == (status, 19))
      #expect(reply.isEndSure)
      #expect(bench.fresh.bytes(of: "photo") == Array("a picture of a barn".utf8))
    case .failed(let code, let isFinal, let words):
      let failure = #expect(throws: Failure.self) { try ending.get() }
      #expect(failure?.code == code && failure?.kind == (isFinal ? .final : .passing))
      #expect(failure?.reason == words.replacing("HOST", with: "127.0.0.1:\(bench.origin.port)"))
    }
    #expect(bench.origin.requests().count == 1)
  }

  @Test(arguments: ["gzip", "deflate"])
  func `Decoded bytes count for the limit of the size`(coding: String) async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/gzip-bomb?with=\(coding)")
    let failure = await bench.failure(url, maximumSize: 49_999_999)
    #expect(try await bench.fetch(url: url, maximumSize: 50_000_000).size == 50_000_000)
    await bench.stop()
    #expect(failure?.code == "size.limit")
    #expect(failure?.reason.hasSuffix(" sends more than 49999999 bytes") == true)
  }

  @Test(arguments: ["gzip", "deflate"])
  func `A photo of the largest size may be longer while it is coded`(coding: String) async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/coded?with=\(coding)")
    let failure = await bench.failure(url, maximumSize: 18)
    #expect(try await bench.fetch(url: url, maximumSize: 19).size == 19)
    await bench.stop()
    #expect(failure?.code == "size.limit")
  }

  @Test func `No coding is asked for`() async throws {
    let bench = try TransferBench()
    _ = try await bench.fetch(url: bench.origin.url("/barn.jpg"))
    await bench.stop()
    #expect(bench.origin.requests() == ["GET /barn.jpg 200 19"])
  }
}
