// SPDX-License-Identifier: Apache-2.0
// The page, its headers, and the facts about photos that it asks for. Text of users is escaped here, and here alone.

package import HTTP
internal import Vocabulary

package enum PageText {
  /// The facts about a list with which its page begins.
  package struct Head: Equatable, Sendable {
    package let name: String
    package let title: String
    package let state: String
    package let total: UInt32
    package let mayFocus: Bool

    package init(name: String, title: String, state: String, total: UInt32, mayFocus: Bool) {
      (self.name, self.title, self.state) = (name, title, state)
      (self.total, self.mayFocus) = (total, mayFocus)
    }
  }

  /// The facts about a photo that its tile shows.
  package struct Photo: Equatable, Sendable {
    package let number: UInt32
    package let name: String
    package let reason: String

    package init(number: UInt32, name: String, reason: String) {
      (self.number, self.name, self.reason) = (number, name, reason)
    }
  }

  /// Of every answer. Nothing from elsewhere is loaded, no script or style stands in the page, and none can be made
  /// from text.
  package static let safety = headers(
    policy: "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
      + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      + "require-trusted-types-for 'script'; trusted-types 'none'")

  /// Of the door, which loads its icon alone: browsers ask for one.
  package static let doorSafety = headers(
    policy:
      "default-src 'none'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  )

  private static func headers(policy: String) -> [WebHeader] {
    [
      WebHeader("Content-Security-Policy", policy),
      WebHeader("X-Content-Type-Options", "nosniff"),
      WebHeader("Referrer-Policy", "no-referrer"),
      WebHeader("Cross-Origin-Opener-Policy", "same-origin"),
      WebHeader("Cross-Origin-Resource-Policy", "same-origin"),
    ]
  }

  /// A shorter list has no overview.
  private static let fewest = 60

  package static func page(_ head: Head) -> String {
    let name = markup(head.name)
    let title = head.title.isEmpty ? name : markup(head.title)
    let hidden = head.total < fewest ? " hidden" : ""
    return """
      <!doctype html>
      <html lang=en>
      <meta charset=utf-8>
      <meta name=viewport content="width=device-width,initial-scale=1">
      <title>\(title) · darkroom</title>
      <link rel=icon href=/icon.svg>
      <link rel=stylesheet href=/style.css>
      <script src=/script.js defer></script>
      <body data-total=\(head.total) data-state="\(markup(head.state))" data-focus=\(head.mayFocus ? 1 : 0)>
      <header>
      <div><h1 dir=auto>\(title)</h1><p id=about></p></div>
      <div class=count><b id=done></b><span id=left></span></div>
      <div class=bar role=progressbar aria-label=Photos aria-valuemin=0 aria-valuemax=\(head.total)><i></i><i></i><i></i></div>
      </header>
      <nav aria-label=Photos><button value=-1>All <span></span></button><button value=2>Prints <span></span></button><button \
      value=0>Waiting <span></span></button><button value=3>Failed <span></span></button>
      <input id=ask aria-label="Go to a photo" placeholder="Name or number" size=16></nav>
      <div id=sheet><main tabindex=-1><ul></ul></main><div id=map role=slider tabindex=0 aria-label=Overview \
      aria-orientation=vertical aria-valuemin=1 aria-valuemax=\(head.total)\(hidden)><canvas></canvas><i></i></div></div>
      <p role=status id=said></p>
      <template><li><a><img alt="" decoding=async><em></em><span dir=auto></span></a></li></template>

      """
  }

  /// The path of a list's page. A secret in the path stays with its origin, which a port is part of; a cookie would be
  /// sent to every port of the host.
  package static func path(of list: UInt64, view: String) -> String { "/v/\(view)/lists/\(list)/" }

  /// Leads to the page of a list. After a redirection, a browser says that the request comes from the site of the first
  /// link; this page belongs to our site.
  package static func door(to path: String) -> String {
    """
    <!doctype html>
    <html lang=en>
    <meta charset=utf-8>
    <meta http-equiv="refresh" content="0;url=\(path)">
    <title>darkroom</title>
    <link rel=icon href=/icon.svg>

    """
  }

  /// A print under the safelight.
  package static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" fill="#14110f"/><path \
    fill="#fffdf8" d="M2 3h12v10H2z"/><path fill="#a8321f" d="M3 4h10v7H3z"/></svg>
    """

  /// A page without a script, for a refusal.
  package static func notice(_ words: String) -> String {
    """
    <!doctype html>
    <html lang=en>
    <meta charset=utf-8>
    <title>darkroom</title>
    <link rel=stylesheet href=/style.css>
    <body class=notice><p>\(markup(words))</p>

    """
  }

  /// `[[number,"name","reason"],…]`
  package static func photos(_ photos: [Photo]) -> String {
    let rows = photos.map { "[\($0.number),\(quoted($0.name)),\(quoted($0.reason))]" }
    return "[\(rows.joined(separator: ","))]"
  }

  static func markup(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case _ where isControl(scalar): out += "\u{FFFD}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      // A name cannot order the text around it.
      case _ where isControl(scalar): out += "\\ufffd"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x61C: true
    default: false
    }
  }
}
