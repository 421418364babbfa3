// SPDX-License-Identifier: Apache-2.0
// URLs as people and programs write them into lists.

import Foundation
import Support
import Testing
import Vocabulary

struct PhotoURLTests {
  @Test(
    "A URL that can be used is passed on in one form",
    arguments: [
      ("http://example.org", "http://example.org/"),
      ("HTTPS://Photos.Example.ORG/A.jpg", "https://photos.example.org/A.jpg"),
      ("  \n https://example.org/a.jpg\t\n", "https://example.org/a.jpg"),
      ("https://example.org/a b.jpg?x=1 2#top", "https://example.org/a%20b.jpg?x=1%202"),
      ("https://example.org/Grüße.jpg", "https://example.org/Gr%C3%BC%C3%9Fe.jpg"),
      ("https://example.org/a%20b%2Fc.jpg", "https://example.org/a%20b%2Fc.jpg"),
      ("https://example.org:443/a", "https://example.org/a"),
      ("https://example.org:/a", "https://example.org/a"),
      ("http://example.org:8080/a", "http://example.org:8080/a"),
      ("http://example.org.?q", "http://example.org./?q"),
      ("http://[2001:DB8:0:0::1]:8080/a", "http://[2001:db8::1]:8080/a"),
      ("http://2130706433/a", "http://2130706433/a"),
      ("http://example.org/a\\b\"<>", "http://example.org/a%5Cb%22%3C%3E"),
      ("http://example.org/^`{|}~?{}", "http://example.org/%5E%60%7B%7C%7D~?%7B%7D"),
      ("http://Example.ORG./", "http://example.org./"),
      ("http://xn--bcher-kva.example/a", "http://xn--bcher-kva.example/a"),
      ("file:///srv/a b.jpg", "file:///srv/a%20b.jpg"),
      ("file:/srv/a.jpg", "file:///srv/a.jpg"),
      ("file://localhost/srv/a.jpg", "file:///srv/a.jpg"),
    ])
  func usable(_ written: String, _ passedOn: String) throws {
    #expect(try PhotoURL(parsing: written).text == passedOn)
  }

  @Test(
    "A URL that cannot be used fails its photo with a code and with words",
    arguments: [
      ("", "url.empty"), ("  \n ", "url.empty"),
      ("photo.jpg", "url.scheme"), ("//example.org/a", "url.scheme"), ("1http://a/", "url.scheme"),
      ("ftp://example.org/a", "url.scheme"), ("data:image/png;base64,AAAA", "url.scheme"),
      ("javascript:alert(1)", "url.scheme"), ("gopher://example.org/", "url.scheme"),
      ("http:example.org", "url.host"), ("http:///a.jpg", "url.host"), ("http://", "url.host"),
      ("http://user:secret@example.org/a", "url.credentials"),
      ("http://example.org@127.0.0.1/a", "url.credentials"),
      ("http://exa mple.org/", "url.host"), ("http://exa%6dple.org/", "url.host"),
      ("http://example..org/", "url.host"), ("http://.example.org/", "url.host"),
      ("http://127.0.0.1./", "url.host"), ("http://0X7F.1./", "url.host"),
      ("http://./", "url.host"), ("http://../", "url.host"), ("http://a../", "url.host"),
      ("http://example.org\\@127.0.0.1/", "url.credentials"),
      ("http://example.org\\.evil/", "url.host"), ("http://bücher.example/", "url.host"),
      ("http://[::1/", "url.host"), ("http://[fe80::1%25eth0]/", "url.host"),
      ("http://[127.0.0.1]/", "url.host"), ("http://[::1]x/", "url.port"),
      ("http://example.org:0/", "url.port"), ("http://example.org:65536/", "url.port"),
      ("http://example.org:8o/", "url.port"), ("http://example.org:-1/", "url.port"),
      ("http://example.org/a\r\nHost: evil", "url.syntax"),
      ("http://example.org/a\0b", "url.syntax"),
      ("file://server/a.jpg", "url.host"), ("file:a.jpg", "url.syntax"),
      ("file:///a.jpg?x", "url.syntax"), ("file:///a.jpg#x", "url.syntax"),
    ])
  func unusable(_ written: String, _ code: String) {
    let failure = #expect(throws: Failure.self) { try PhotoURL(parsing: written) }
    #expect(failure?.code == code)
    #expect(failure?.kind == .final)
    #expect(failure.map { !$0.reason.isEmpty && !$0.reason.hasSuffix(".") } == true)
    #expect(failure?.reason.contains("secret") == false)
  }

  @Test(
    "The advice about a host's name that is not in ASCII is its ASCII form",
    arguments: [
      ("bücher.example", "Write it as xn--bcher-kva.example"),
      ("Bücher.Example:8080", "Write it as xn--bcher-kva.example"),
      ("münchen.straße.example", "Write it as xn--mnchen-3ya.xn--strae-oqa.example"),
      ("ひとよんまる.example", "Write it as xn--o9jta1b0bq0c.example"),
      ("他们为什么不说中文", "Write it as xn--ihqwcrb4cv8a8dqg056pqjye"),
      ("почемужеонинеговорятпорусски", "Write it as xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
      ("3年b組金八先生", "Write it as xn--3b-ww4c5e180e575a65lsy2b"),
      // One with a combining mark, one of a sign, one whose label gets too long.
      ("bu\u{308}cher.example", "Write it in its xn-- form"),
      ("☃.example", "Write it in its xn-- form"),
      (String(repeating: "ü", count: 63), "Write it in its xn-- form"),
      (String(repeating: "ü", count: 5000), "Write it in its xn-- form"),
    ])
  func notASCII(_ host: String, _ advice: String) {
    let failure = PhotoURL.refusal(of: "http://\(host)/a.jpg?token=secret")
    #expect(failure?.code == "url.host" && failure?.reason == "the host's name is not in ASCII")
    #expect(failure?.advice == advice)
  }

  @Test(arguments: ["\"", "'", "<", "\u{201C}", "\u{201E}", "\u{2018}", "\u{AB}"])
  func `A URL in quotation marks is told from one without a scheme`(mark: String) {
    let failure = PhotoURL.refusal(of: "\(mark)https://example.org/a.jpg\(mark)")
    #expect(failure?.reason == "the URL stands in quotation marks")
    #expect(failure?.advice == "Write it without them")
  }

  @Test func `The limit of a URL is the one that photo-list(5) names`() throws {
    let page = try String(contentsOfFile: Repository.path("man/photo-list.5"), encoding: .utf8)
    #expect(page.contains(".It a URL\n\(PhotoURL.longest) bytes\n"))
    #expect(ListLimits().valueBytes == UInt32(PhotoURL.longest))
  }

  @Test func `A URL as long as the limit is read, one byte more is not`() {
    let start = "http://example.org/"
    let rest = String(repeating: "a", count: PhotoURL.longest - start.utf8.count)
    #expect(throws: Never.self) { try PhotoURL(parsing: start + rest) }
    let failure = #expect(throws: Failure.self) { try PhotoURL(parsing: start + rest + "a") }
    #expect(failure?.code == "url.length")
  }

  @Test func `Messages name a URL without its query and fragment`() throws {
    let url = try PhotoURL(parsing: "https://Example.org:8443/a?token=secret#secret")
    #expect(url.server == "example.org:8443" && url.serverName == "https://example.org:8443")
    let parts = (url.path, url.query)
    #expect(parts == ("/a", "token=secret"))
    #expect(url.host == "example.org")
    #expect(!url.text.contains("#"))
  }

  @Test func `a host is one server with http and https, and each other port is another one`() throws
  {
    let urls = [
      "http://h/a", "https://h/a", "http://h:443/a", "https://h:80/a", "http://h:8080/a",
      "https://h:8080/a", "http://[::1]/a", "https://[::1]/a",
    ]
    let names = try urls.map { try PhotoURL(parsing: $0).serverName }
    #expect(
      names == [
        "h", "h", "h:443", "https://h:80", "h:8080", "https://h:8080", "[::1]", "[::1]",
      ])
    #expect(try PhotoURL(parsing: "https://h:443/b").serverName == "h")
  }

  @Test(arguments: [
    ("h", "h", true), ("h", "http://h", true), ("h", "https://h", true), ("g", "h", false),
    ("h", "https://h:443", true), ("h", "https://h:80", false), ("h", "h:80", false),
    ("h:80", "https://h:80", false), ("https://h:80", "h", false), ("https://h:80", "h:80", true),
    ("h:80", "h:80", true), ("https://h:80", "http://h:80", false), ("h", "://h", false),
    ("[::1]", "http://[::1]", true), ("[::1]", "[::1]", true), ("h", "", false),
  ])
  func `a name without a scheme means the servers of both schemes`(
    name: String, word: String, isMeant: Bool
  ) {
    #expect(ServerName.isMeant(name, by: word) == isMeant)
  }

  /// The first of each is the text that is passed on.
  @Test(
    "However it is written, one URL has one text, the same parts and the same origin",
    arguments: [
      [
        "http://example.org/a?b=1", "HTTP://example.ORG:80/a?b=1#top", " http://example.org:/a?b=1",
      ],
      ["https://example.org:8443/", "https://example.org:8443", "https://example.org:08443/#"],
      ["http://[2001:db8::1]/a?", "http://[2001:0DB8:0::1]:80/a?", "http://[2001:db8::1]/a?#"],
      ["http://example.org/?", "http://example.org?", "http://example.org/?#?"],
      ["http://example.org/a%20b?%5E", "http://example.org/a b?^", "http://example.org/a b?%5E "],
      ["file:///a%20b", "file:/a b", "file://localhost/a%20b"],
    ])
  func spellings(_ spellings: [String]) throws {
    let urls = try spellings.map { try PhotoURL(parsing: $0) }
    for (url, written) in zip(urls, spellings) {
      #expect(url.text == spellings[0], "\(written)")
      #expect(url == urls[0] && url.hashValue == urls[0].hashValue, "\(written)")
      #expect(url.origin == urls[0].origin, "\(written)")
      let query = url.query.map { "?" + $0 } ?? ""
      let parts = "\(url.scheme.rawValue)://\(url.server)\(url.path)\(query)"
      #expect(parts == spellings[0], "\(written)")
    }
  }

  @Test func `Another scheme, host or port is another origin`() throws {
    let urls = ["http://a/", "https://a/", "http://b/", "http://a:8080/"]
    let origins = try urls.map { try PhotoURL(parsing: $0).origin }
    #expect(Set(origins).count == urls.count)
  }

  @Test(
    "A file's path is taken apart, decoded and checked",
    arguments: [
      ("file:///srv/photos/a%20b.jpg", ["srv", "photos", "a b.jpg"]),
      ("file:////srv//a.jpg", ["srv", "a.jpg"]),
      ("file:///srv/50%25.jpg", ["srv", "50%.jpg"]),
      ("file:///srv/%C3%BC.jpg", ["srv", "ü.jpg"]),
    ])
  func path(_ written: String, _ parts: [String]) throws {
    #expect(try PhotoURL(parsing: written).filePath() == parts.compactMap { FileName($0) })
  }

  @Test(
    "The path of a file that leads elsewhere is refused",
    arguments: [
      "file:///srv/../etc/passwd", "file:///srv/%2e%2e/etc/passwd", "file:///srv/./a",
      "file:///srv/a%2Fb", "file:///srv/a%00b", "file:///srv/%zz", "file:///srv/%2", "file:///",
      "file:///srv/",
    ])
  func astray(_ written: String) throws {
    let url = try PhotoURL(parsing: written)
    #expect(throws: Failure.self) { try url.filePath() }
  }
}
