// SPDX-License-Identifier: Apache-2.0
// Failed photos by reason, with the words that a person can type.

import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomctl

struct FailureGroupTests {
  private static let screen = ToolScreen(isTerminal: true, columns: 200)

  private func photo(_ number: UInt32, _ code: String, _ reason: String) -> PhotoSummary {
    PhotoSummary(
      number: number, name: "Photo \(number)", url: "https://a.example/\(number)", state: .failed,
      code: code, reason: reason)
  }

  private func text(
    _ photos: [PhotoSummary], name: String = "Wallpapers", state: ListState = .finished,
    socket: String = ToolOrder.systemSocket
  ) -> String {
    var groups = FailureGroups()
    for photo in photos { groups.add(photo) }
    var list = Samples.list
    (list.name, list.id, list.state) = (name, 17, state.name)
    return groups.text(of: list, at: DaemonPlace(socket: socket), Self.screen)
  }

  private static let loopback =
    "127.0.0.1 leads to 127.0.0.1, this machine (loopback), which AllowNetworks= does not allow"

  @Test func `the most frequent reason is first, with the setting that allows it`() {
    let lost = photo(1, "http.404", "a.example answered 404 (Not Found)")
    let refused = (2...61).map { photo($0, "address.refused", Self.loopback) }
    #expect(
      text([lost] + refused, socket: "/home/ann/darkroom/control") == """
        60 photos, 'Photo 2' among them: address.refused: \(Self.loopback)
          To allow it, write AllowNetworks=127.0.0.0/8 under [Download] in \
        /home/ann/darkroom/darkroomd.conf, then: darkroomctl --root /home/ann/darkroom reload
        'Photo 1': http.404: a.example answered 404 (Not Found)
          If it is there now, do it again; otherwise correct the list, not its retry list, and drop it
        To do it again: darkroomctl --root /home/ann/darkroom retry Wallpapers

        """)
  }

  @Test func `after five reasons the rest is counted`() {
    let photos = (1...8).map { photo($0, "jpeg.truncated", "it ends after \($0) bytes") }
    let lines = text(photos).split(separator: "\n")
    #expect(lines.count == 7)
    #expect(
      lines[5] == "3 photos for other reasons: darkroomctl show --state failed Wallpapers")
  }

  @Test func `reasons beyond the limit are counted, too`() {
    let photos = (1...3000).map { photo($0, "jpeg.truncated", "it ends after \($0) bytes") }
    #expect(text(photos).contains("2995 photos for other reasons: "))
  }

  @Test func `a list that is not over is not retried, and other photos do not count`() {
    var waiting = photo(1, "http.503", "it answered 503")
    waiting.state = PhotoState.new.name
    let words = text([waiting, photo(2, "file.missing", "there is no such file")], state: .running)
    #expect(
      words == """
        'Photo 2': file.missing: there is no such file
          If it is there now, do it again; otherwise correct the list, not its retry list, and drop it

        """)
  }

  @Test(arguments: [
    ("Holiday", "/run/x.sock", "darkroomctl --socket /run/x.sock retry Holiday"),
    ("Two words", ToolOrder.systemSocket, "darkroomctl retry 17"),
    ("12", ToolOrder.systemSocket, "darkroomctl retry 17"),
    ("a.txt", ToolOrder.systemSocket, "darkroomctl retry 17"),
    ("-dash", ToolOrder.systemSocket, "darkroomctl retry 17"),
    ("$(reboot)", "/a dir/control", "darkroomctl --root '/a dir' retry 17"),
    ("a'b", "/it's/control", #"darkroomctl --root '/it'\''s' retry 17"#),
  ])
  func `a shell reads the command as it is meant`(name: String, socket: String, command: String) {
    let words = text([photo(1, "time.out", "it took too long")], name: name, socket: socket)
    #expect(words.hasSuffix("\nTo do it again: \(command)\n"))
  }

  @Test func `what is wrong in the list itself is not to be retried`() {
    let words = text([photo(1, "url.scheme", "the URL has no scheme")])
    #expect(
      words
        == "'Photo 1': url.scheme: the URL has no scheme\n  Correct the list and drop it again\n")
  }

  @Test func `other refused addresses get the range that refuses them, and denied ones none`() {
    for (address, range) in [
      ("192.168.1.5", "192.168.0.0/16"), ("::1", "::1/128"), ("fd00::1", "fc00::/7"),
    ] {
      let reason = "cam.example leads to \(address), an address, which is refused"
      #expect(text([photo(1, "address.refused", reason)]).contains("AllowNetworks=\(range) under"))
    }
    let denied = "cam.example leads to 8.8.8.8, which DenyNetworks=8.0.0.0/8 refuses"
    #expect(!text([photo(1, "address.refused", denied)]).contains("AllowNetworks"))
  }
}
