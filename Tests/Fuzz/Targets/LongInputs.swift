// SPDX-License-Identifier: Apache-2.0
// Long inputs of hostile texts for each target: in the places where a name, a key or a value stands, and in the middle
// of every input of the corpus.

import Support

package enum LongInputs {
  /// Up to the limit of the target.
  package static func inputs(of target: FuzzTarget, corpus: [[UInt8]]) -> [[UInt8]] {
    let size = target.longest
    return HostileText.all.flatMap { filler in
      places(of: target).map { head, end in
        Array(head.utf8) + filler.bytes(size - head.utf8.count - end.utf8.count) + Array(end.utf8)
      }
        + corpus.map { seed in
          let middle = seed.count / 2
          return target.mended(
            Array(seed[..<middle]) + filler.bytes(size - seed.count) + seed[middle...])
        }
    }
  }

  private static func places(of target: FuzzTarget) -> [(String, String)] {
    let call = "{\"method\":\"io.darkroom.Control.Show\",\"parameters\":{"
    let many = (0..<20).map { "\"\($0)\":0," }.joined()
    let head = "GET /lists/17/ HTTP/1.1\nhost: 127.0.0.1:80\n"
    return switch target {
    case .xml:
      [
        ("<plist><dict><key>", "</key><string>http://x/a</string></dict></plist>"),
        ("<plist><dict><key>a</key><string>http://x/", "</string></dict></plist>"),
        ("<plist><dict><key>Title</key><string>", "</string></dict></plist>"),
        ("<plist><", "/></plist>"),
      ]
    case .lines: [("", ""), ("http://x/", "\n"), ("Title: ", "\nhttp://x/\n")]
    case .json:
      [
        ("{\"", "\":\"http://x/\"}"), ("{\"a\":\"http://x/", "\"}"),
        ("[{\"url\":\"http://x/\",\"", "\":1}]"),
        ("{\"title\":\"", "\",\"photos\":{\"a\":\"http://x/\"}}"),
      ]
    case .csv:
      [("url,", "\nhttp://x/,a\n"), ("url,name\nhttp://x/,", "\n"), ("url\nhttp://x/", "\n")]
    case .message:
      [
        (call + "\"list\":\"", "\"}}"), (call + many + "\"", "\":0}}"), (call + "\"", "\":0}}"),
        ("{\"method\":\"", "\"}"), ("{\"parameters\":{\"notes\":[\"", "\"]}}"),
      ]
    case .url: [("http://", "/"), ("http://x/", ""), ("", "://x/")]
    case .web:
      [
        (head + "cookie: ", "\n\n"), (head, ": x\n\n"), ("GET /", " HTTP/1.1\n\n"),
        ("GET / HTTP/1.1\nhost: ", "\n\n"), (head + "origin: ", "\n\n"),
      ]
    case .server: [("", "\n<a/>"), ("gzip, ", ""), ("\n<", "/>"), ("\n<Key>", "</Key>")]
    case .jpeg, .png, .binary, .catalog, .segment, .snapshot, .answer, .deflate: []
    }
  }
}
