// SPDX-License-Identifier: Apache-2.0
// The page: text of users stays text, and script and style stay small.

import Foundation
import HTTP
import Testing

@testable import Show

@Suite struct PageTextTests {
  private func page(name: String, title: String = "", state: String = "running") -> String {
    PageText.page(
      PageText.Head(name: name, title: title, state: state, total: 60, mayFocus: true))
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a&lt;b", "' onload='x",
    "</title><b>",
  ])
  func `a name is text`(name: String) {
    for page in [page(name: name), page(name: "x", title: name), page(name: "x", state: name)] {
      #expect(!page.contains(name))
      #expect(page.components(separatedBy: "<script").count == 2, "one script, our own")
      #expect(page.components(separatedBy: "<img").count == 2, "that of the template")
      #expect(!page.contains("<b>"))
    }
    #expect(!PageText.notice(name).contains(name))
  }

  @Test func `a name cannot order the text around it`() {
    let name = "a\u{202E}gpj\u{2066}\u{0}\u{1B}[31m"
    for text in [page(name: name), PageText.photos([.init(number: 1, name: name, reason: name)])] {
      let bad = text.unicodeScalars.filter { [0x202E, 0x2066, 0x0, 0x1B].contains($0.value) }
      #expect(bad.isEmpty)
    }
  }

  @Test func `photos are JSON, whatever their names`() throws {
    let names = [
      "Barn", "\"", "\\", "</script>", "\u{2028}", "שלום", "日本", "😀", "a\nb",
      String(repeating: "é", count: 120),
    ]
    let photos = names.enumerated().map {
      PageText.Photo(number: UInt32($0.offset + 1), name: $0.element, reason: "404 \"Not Found\"")
    }
    let text = PageText.photos(photos)
    let rows = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[Any]])
    #expect(rows.map { $0[0] as? Int } == Array(1...names.count))
    #expect(rows[0][1] as? String == "Barn" && rows[2][1] as? String == "\\")
    #expect(rows[5][1] as? String == "שלום" && rows[7][1] as? String == "😀")
    #expect(rows.allSatisfy { $0[2] as? String == "404 \"Not Found\"" })
    #expect(PageText.photos([]) == "[]")
  }

  @Test func `a page calls its server, which alone knows the view`() {
    #expect(PageScript.text.contains("setInterval(()=>over||get(\"\"),3e4)"))
  }

  @Test func `the door leads to the list, and loads its icon alone`() {
    let door = PageText.door(to: PageText.path(of: 17, view: "0a"))
    #expect(door.contains(#"<meta http-equiv="refresh" content="0;url=/v/0a/lists/17/">"#))
    #expect(!door.contains("<script") && door.components(separatedBy: "<link").count == 2)
    let policies = PageText.doorSafety.filter { $0.name == "Content-Security-Policy" }
    #expect(policies.count == 1 && !policies[0].value.contains("script-src"))
    #expect(PageText.doorSafety.dropFirst() == PageText.safety.dropFirst())
    // Nobody whom a page leads to learns its address, which has the secret.
    #expect(PageText.safety.contains(WebHeader("Referrer-Policy", "no-referrer")))
  }

  @Test func `script and style are small, and make nothing from text`() {
    #expect(PageScript.text.utf8.count <= 12_000, "\(PageScript.text.utf8.count)")
    #expect(PageStyle.text.utf8.count <= 6000, "\(PageStyle.text.utf8.count)")
    for word in [
      "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(",
    ] {
      #expect(!PageScript.text.contains(word))
    }
    #expect(!PageStyle.text.contains("url(") && !PageStyle.text.contains("@import"))
    #expect(!PageScript.text.contains("\n ") && !PageScript.text.contains("`\n"))
  }

  @Test func `the script is sent without spaces that only help to read it`() {
    let lines = [
      ("  const a = b + 1;", "const a=b+1;"), ("return x ? 'a b' : y;", "return x?'a b':y;"),
      ("say(`No photo is ${name} here`, 2);", "say(`No photo is ${name} here`,2);"),
      ("for (const item of pool) go(item);", "for(const item of pool)go(item);"),
      ("\"it's\" + \" x \"", "\"it's\"+\" x \""),
    ]
    for (line, compact) in lines { #expect(PageScript.compact(line[...]) == compact) }
  }
}
