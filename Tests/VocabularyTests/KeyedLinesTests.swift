// SPDX-License-Identifier: Apache-2.0
// Lines of keys and values, as the files of a list have them.

import Testing
import Vocabulary

@Suite struct KeyedLinesTests {
  @Test("of two lines with one key the later one counts, and a line without a sign does not")
  func values() {
    let lines = KeyedLines("A=1\nB=x=y\n\nno sign\nA=2\nC=\n=nothing")
    #expect(lines["A"] == "2" && lines["B"] == "x=y" && lines["C"] == "" && lines[""] == "nothing")
    #expect(lines["D"] == nil && lines["no sign"] == nil && lines["a"] == nil)
    #expect(KeyedLines("")["A"] == nil)
  }

  @Test("a value may begin with a combining character, and end with a return")
  func bytes() {
    let lines = KeyedLines("Title=\u{301}a\nEnd=b\r\nNext=c")
    #expect(lines["Title"] == "\u{301}a" && lines["Next"] == "c")
    #expect(lines.bytes("End").map(Array.init) == [0x62, 0x0D])
  }

  @Test("a line that is added tells whether it has a sign")
  func adding() {
    var lines = KeyedLines()
    #expect(lines.add(Array("A=1".utf8)[...]) && !lines.add(Array("A".utf8)[...]))
    #expect(lines["A"] == "1")
  }
}
