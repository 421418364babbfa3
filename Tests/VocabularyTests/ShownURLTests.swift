// SPDX-License-Identifier: Apache-2.0
// The text shown for a refused URL holds no secret.

import Testing
import Vocabulary

@Suite struct ShownURLTests {
  @Test(
    "Users, passwords, queries and fragments are not shown, whatever is wrong with the URL",
    arguments: [
      ("ftp://user:pw@h.example/x?token=t", "ftp://h.example/x"),
      ("https://user:pw@h.example/x#t", "https://h.example/x"),
      ("http://127.0.0.1:99999/x?token=t", "http://127.0.0.1:99999/x"),
      ("user:pw@h.example/x?token=t", "h.example/x"), ("http:///x?token=t", "http:///x"),
      ("https://user:p/w@h.example/x", "https://h.example/x"), ("not a URL", "not a URL"),
      ("", ""), ("@", ""), ("a:", "a:"), ("http://h.example/a@b", "http://b"),
    ])
  func secrets(url: String, shown: String) { #expect(ShownURL.text(url) == shown) }
}
