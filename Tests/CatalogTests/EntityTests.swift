// SPDX-License-Identifier: Apache-2.0
// Documents that would make a parser fetch files, expand entities or buffer without end: they are
// refused, or read without fetching anything.

import Testing

@Suite("Entities")
struct EntityTests {
  static func laughs() -> String {
    var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist [\n<!ENTITY l0 \"ha\">\n"
    for level in 1...9 {
      let uses = String(repeating: "&l\(level - 1);", count: 10)
      text += "<!ENTITY l\(level) \"\(uses)\">\n"
    }
    return text + "]>\n<plist><dict><key>a</key><string>&l9;</string></dict></plist>"
  }

  static let doctypes: [(String, String)] = [
    ("billion laughs", laughs()),
    (
      "an external entity",
      "<!DOCTYPE plist [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><plist><dict><key>a</key>"
        + "<string>&e;</string></dict></plist>"
    ),
    (
      "a parameter entity",
      "<!DOCTYPE plist [<!ENTITY % e SYSTEM \"http://127.0.0.1:9/e\"> %e;]><plist><dict/></plist>"
    ),
    ("an empty subset", "<!DOCTYPE plist []><plist><dict/></plist>"),
    (
      "default attributes",
      "<!DOCTYPE plist [<!ATTLIST key a CDATA \"b\">]><plist><dict/></plist>"
    ),
  ]

  @Test("a DOCTYPE with declarations is refused", arguments: doctypes)
  func refused(what: String, text: String) {
    let outcome = ReadList.text(text)
    #expect(outcome.code == "list.syntax")
    #expect(outcome.reason?.hasSuffix(": the DOCTYPE contains declarations") == true)
    #expect(outcome.advice == "Remove the part of the DOCTYPE in square brackets")
  }

  @Test("a DOCTYPE that only points elsewhere is accepted, and nothing is fetched")
  func external() {
    let list = "<plist><dict><key>a</key><string>u</string></dict></plist>"
    for doctype in [
      "<!DOCTYPE plist SYSTEM \"http://127.0.0.1:9/evil.dtd\">",
      "<!DOCTYPE plist SYSTEM \"file:///dev/zero\">",
    ] {
      #expect(ReadList.text(doctype + list).photos == ["a = u"])
    }
  }

  @Test("an entity that only an outside DTD could define is refused, not swallowed")
  func skipped() {
    let list = "<plist><dict><key>a</key><string>u&e;</string></dict></plist>"
    let outcome = ReadList.text("<!DOCTYPE plist SYSTEM \"x.dtd\">" + list)
    #expect(outcome.reason == "line 1: it uses an entity that XML does not define")
    #expect(ReadList.text(list).reason == "line 1: it uses an entity that XML does not define")
  }

  @Test("an endless tag or comment is refused after a mebibyte")
  func oversized() {
    for start in ["<plist><!--", "<plist><dict a='", "<plist><?x "] {
      let outcome = ReadList.text(start + String(repeating: "x", count: 3 << 20))
      #expect(outcome.reason == "line 1: a tag or comment is longer than 1 MiB")
      #expect(outcome.code == "list.limit")
    }
  }
}
