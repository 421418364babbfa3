// SPDX-License-Identifier: Apache-2.0
// The URLs that lists may notify: those of Webhooks=, and no spelling of another one.

import Testing
import Vocabulary

@testable import darkroomd

@Suite struct WebhookPrefixTests {
  private func covers(_ prefix: String, _ url: String) throws -> Bool {
    try WebhookPrefix(parsing: prefix).covers(try PhotoURL(parsing: url))
  }

  @Test(
    arguments: [
      ("http://h", "http://h"), ("http://h", "http://h/"), ("http://h", "http://h/a/b?x#y"),
      ("https://h/a", "https://h/a"), ("https://h/a", "https://h/a?x=/../y"),
      ("https://h/a", "https://h/a/"), ("https://h/a/", "https://h/a/b"),
      ("https://h/a", "https://H:443/a/b"), ("http://h:80/a", "http://h/a"),
      ("http://[::1]:9000/", "http://[0:0::1]:9000/x"), ("http://h/a", "http://h/a/b%20c"),
    ])
  func `a prefix allows itself and everything below`(prefix: String, url: String) throws {
    #expect(try covers(prefix, url))
  }

  @Test(
    arguments: [
      ("https://h/a", "http://h/a"), ("https://h/a", "https://h:8443/a"),
      ("https://h/a", "https://g/a"), ("https://h/a", "https://h.a/a"),
      ("https://h/a", "https://h/ab"), ("https://h/a", "https://h/"),
      ("https://h/a", "https://h/A"), ("https://h/a/", "https://h/a"),
      ("https://h/a", "https://h/a/../b"), ("https://h/a", "https://h/a/./b"),
      ("https://h/a", "https://h/a/%2e%2e/b"), ("https://h/a", "https://h/a/.%2E/b"),
      ("https://h/a", "https://h/a/%2E"), ("https://h/a", "https://h/a/..%2fb"),
      ("https://h/a", "https://h/a%2Fb"), ("https://h/a", "https://h/a/..\\b"),
      ("https://h/a", "https://h/a/%5c..%5cb"), ("https://h/a", "https://h/a/..;x/b"),
      ("https://h/a", "https://h/a/%252e%252e/b"), ("https://h/a", "https://h/a/%"),
      ("https://h/a", "https://h/a/%00"),
      ("https://h/a", "https://h/a/%c0%ae%c0%ae/b"), ("https://h/a", "https://h/a/%ff"),
      ("http://h", "http://h.example"),
    ])
  func `nothing else is allowed`(prefix: String, url: String) throws {
    #expect(try !covers(prefix, url))
  }

  @Test(
    arguments: [
      "h/a", "ftp://h/a", "file:///a", "dropped:///a", "https://", "https://h/a?x", "https://h/a#x",
      "https://h/a/../b", "https://h/%2e%2e/", "https://h/a%2fb", "https://me:secret@h/a",
      "https://h:0/",
    ])
  func `a prefix that is no plain URL is refused without its secrets`(text: String) {
    let problem = #expect(throws: TextProblem.self) { try WebhookPrefix(parsing: text) }
    let words = problem?.description ?? ""
    #expect(words.hasPrefix("a URL of Webhooks= is written as https://"))
    #expect(!words.contains("secret"))
  }
}
