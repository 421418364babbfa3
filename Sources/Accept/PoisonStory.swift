// SPDX-License-Identifier: Apache-2.0
// Why an input was set aside: the first line is for people, the others are for programs. The name is
// percent-encoded as in `about`; of a URL only the host appears.

package import Vocabulary

package struct PoisonStory: Equatable, Sendable {
  package let list: ListID
  /// Nil for the list itself.
  package let photo: UInt32?
  package let name: [UInt8]
  package let host: String
  /// All hex digits, or the first 16.
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
      This \(input) killed or stopped its worker \(Quarantine.maximumDeaths) times and is not tried again.
      list=\(list)
      \(photoLine)name=\(HexDigits.percentEncoded(name))
      \(hostLine)sha256=\(sha256)
      death=\(Printable.text(death, limit: 300))
      time=\(DateText.utc(milliseconds: time))

      """
  }
}
