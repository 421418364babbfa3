// SPDX-License-Identifier: Apache-2.0
// Why an input was set aside: for people in the first line, for programs in the lines below it. The name
// is percent-encoded as in `about`, and of a URL the host alone is told.

package import Vocabulary

package struct PoisonStory: Equatable, Sendable {
  package let list: ListID
  /// Nil where the list itself is meant.
  package let photo: UInt32?
  package let name: [UInt8]
  package let host: String
  /// Its first 16 hex digits, or all.
  package let sha256: String
  package let death: String
  /// Milliseconds since 1970.
  package let time: UInt64

  package init(
    list: ListID, photo: UInt32? = nil, name: [UInt8], host: String = "", sha256: String,
    death: String, time: UInt64
  ) {
    self.list = list
    self.photo = photo
    self.name = name
    self.host = host
    self.sha256 = sha256
    self.death = death
    self.time = time
  }

  package var text: String {
    let input = photo == nil ? "list" : "picture"
    let photoLine = photo.map { "photo=\($0)\n" } ?? ""
    let hostLine = host.isEmpty ? "" : "host=\(Printable.text(host, limit: 300))\n"
    return """
      This \(input) killed its worker \(Quarantine.maximumDeaths) times and is not tried again.
      list=\(list)
      \(photoLine)name=\(AboutFile.encoded(name))
      \(hostLine)sha256=\(sha256)
      death=\(Printable.text(death, limit: 300))
      time=\(ReasonNote.date(time))

      """
  }
}
