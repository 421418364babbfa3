// SPDX-License-Identifier: Apache-2.0
// Options that are yes or no: as words, and as the booleans of each form of list.

import Catalog
import Support
import Testing

@Suite struct FlagTests {
  private static let photo = PropertyValue.dictionary([("a", .string("http://x/a"))])

  private func flags(_ outcome: ListOutcome) -> [Bool?]? {
    guard case .photos(["a = http://x/a"], let options) = outcome else { return nil }
    return [options.isPrivate, options.contactSheet]
  }

  @Test(
    arguments: [
      ("<true/>", true), ("<false/>", false), ("<true></true>", true),
      ("<string>yes</string>", true), ("<string>False</string>", false),
    ])
  func `a property list may say it either way`(value: String, isOn: Bool) {
    let photos = "<key>Photos</key><dict><key>a</key><string>http://x/a</string></dict>"
    let before = "<dict><key>Private</key>\(value)\(photos)"
    let outcome = ReadList.inside("\(before)<key>ContactSheet</key>\(value)</dict>")
    #expect(flags(outcome) == [isOn, isOn], "\(outcome)")
  }

  @Test(arguments: [("true", true), ("false", false), ("\"yes\"", true), ("\"no\"", false)])
  func `and so may JSON`(value: String, isOn: Bool) {
    let outcome = ReadList.text(
      "{\"private\": \(value), \"contactSheet\": \(value), \"photos\": {\"a\": \"http://x/a\"}}")
    #expect(flags(outcome) == [isOn, isOn], "\(outcome)")
  }

  @Test(arguments: [true, false])
  func `and a binary list`(isOn: Bool) {
    let outcome = ReadList.binary(
      .dictionary([
        ("Private", .bool(isOn)), ("Photos", Self.photo), ("ContactSheet", .bool(isOn)),
      ]))
    #expect(flags(outcome) == [isOn, isOn], "\(outcome)")
  }

  @Test func `a photo of that name has a URL, and no flag`() {
    let outcome = ReadList.inside(
      "<dict><key>Private</key><true/><key>a</key><string>http://x/a</string></dict>")
    #expect(
      outcome.photos == [
        "Private ! its URL is true or false, not a string (line 4)", "a = http://x/a",
      ])
  }
}
