// SPDX-License-Identifier: Apache-2.0
// Every way by which bytes that nobody vouches for come in, by name: `make fuzz` feeds each with bytes
// it makes up, FuzzTests with those in corpus/. Any bytes may be refused; a crash, or an answer that
// contradicts itself, stops the process.

package enum FuzzTarget: String, CaseIterable, Sendable {
  case jpeg
  case png
  /// Property lists.
  case xml
  case binary
  case catalog
  case segment
  case snapshot
  /// What a worker says.
  case answer
  /// What comes through the control socket.
  case message
  case url
  /// What a picture's rows may be, on their way into a print.
  case deflate

  package func run(_ bytes: [UInt8]) {
    switch self {
    case .jpeg, .png: PictureProof.run(bytes)
    case .xml, .binary: ListProof.run(bytes)
    case .catalog: CatalogProof.run(bytes)
    case .segment: SegmentProof.run(bytes)
    case .snapshot: SnapshotProof.run(bytes)
    case .answer: AnswerProof.run(bytes)
    case .message: MessageProof.run(bytes)
    case .url: AddressProof.run(bytes)
    case .deflate: DeflateProof.run(bytes)
    }
  }

  /// The same bytes with checksums that fit, so that what lies behind a checksum is tried too.
  package func mended(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .png: Mending.png(bytes)
    case .catalog: Mending.catalog(bytes)
    case .segment: Mending.segment(bytes)
    case .snapshot: Mending.snapshot(bytes)
    case .jpeg, .xml, .binary, .answer, .message, .url, .deflate: bytes
    }
  }

  /// Bytes of the longest input worth trying.
  package var longest: Int {
    switch self {
    case .answer: 2048
    case .url: 512
    default: 4096
    }
  }
}

/// What must hold, in every build.
func must(_ holds: Bool, _ words: @autoclosure () -> String) {
  if !holds { fatalError(words()) }
}
