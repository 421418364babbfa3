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

  /// Each is the first value of a list, then the last one.
  private static let misplaced: [(key: String, value: String, json: String)] = [
    ("Private", "<true/>", "true"), ("Private", "<string>yes</string>", "\"yes\""),
    ("Title", "<string>Summer: 2025</string>", "\"Summer: 2025\""),
    ("Quality", "<integer>80</integer>", "80"), ("Filter", "<array/>", "[]"),
    ("Title", "<string>Of http://x/a</string>", "\"Of http://x/a\""),
    ("Title", "<string>Ski:/2026</string>", "\"Ski:/2026\""),
    ("Filter", "<string>C:/x</string>", "\"C:/x\""),
    ("ContactSheet", "<false/>", "false"), ("Notify", "<string></string>", "null"),
  ]

  @Test("an option in a list of names and URLs refuses the list", arguments: misplaced)
  func lost(key: String, value: String, json: String) {
    let (option, photo) = ("<key>\(key)</key>\(value)", "<key>a</key><string>http://x/a</string>")
    let (member, other) = ("\"\(key)\": \(json)", "\"a\": \"http://x/a\"")
    let outcomes =
      [option + photo, photo + option, option].map {
        ReadList.inside("<dict>\($0)</dict>")
      }
      + ["{\(member), \(other)}", "{\(other), \(member)}", "{\(member)}"].map { ReadList.text($0) }
    for outcome in outcomes {
      let words = ": '\(key)' is the name of an option, and its value is not the URL of a photo"
      #expect(outcome.code == "list.option" && outcome.reason?.hasSuffix(words) == true)
      #expect(outcome.advice?.contains("beside 'Photos'") == true, "\(outcome)")
    }
  }

  @Test func `a binary list with an option among its names is refused`() {
    let outcome = ReadList.binary(
      .dictionary([("a", .string("http://x/a")), ("Private", .bool(true))]))
    #expect(outcome.code == "list.option")
  }
}
