// SPDX-License-Identifier: Apache-2.0
// One line of photos at work: a cursor into the list, and who is on the way, came back or waits.

package import Vocabulary

extension Admission {
  /// What has to be known of a photo before it may go.
  package struct Prospect: Equatable, Sendable {
    /// The server that it comes from, as messages name it; nil where it needs none any more.
    package var host: String?
    /// Equal for equal URLs: whoever wants what is on its way already needs no place of its own.
    package var url: Int?
    /// The class that it has of its own.
    package var own: ServiceClass?
    /// An attempt of it is recorded.
    package var isTried: Bool

    package init(
      host: String? = nil, url: Int? = nil, own: ServiceClass? = nil, isTried: Bool = false
    ) {
      self.host = host
      self.url = url
      self.own = own
      self.isTried = isTried
    }
  }

  /// A photo on its way, and the server that it holds a place at, until it is known what that answers.
  /// A companion holds none: it waits for the transfer of another photo.
  struct Seat: Sendable {
    var host: String?
    var isProbe = false
    var url: Int?
    var isCompanion = false
  }

  struct Candidate: Sendable {
    let number: UInt32
    /// Found by the cursor, and perhaps not of this line.
    let isFresh: Bool
    var prospect: Prospect?
  }

  struct Line: Sendable {
    let serviceClass: ServiceClass
    /// Photos up to here were looked at.
    var cursor: UInt32
    /// No photo of the line is behind this one.
    let last: UInt32
    private let first: UInt32
    var isExhausted = false
    var isPaused = false
    var inFlight: [UInt32: Seat] = [:]
    /// Came back unfinished; goes before new ones.
    var returned: [UInt32] = []
    /// Waiting for another attempt.
    var waiting = DueQueue<UInt32>()
    var aside = SetAside()
    var candidate: Candidate?
    /// Since when photos have come back because their server asked to be left alone.
    var patient: [UInt32: Duration] = [:]

    /// So far is looked ahead for photos whose server has room.
    static let longestAside = 1024

    init(_ serviceClass: ServiceClass, first: UInt32 = 1, last: UInt32 = .max) {
      self.serviceClass = serviceClass
      self.first = first
      cursor = max(first, 1) - 1
      self.last = last
    }

    var isDone: Bool {
      isExhausted && inFlight.isEmpty && returned.isEmpty && waiting.isEmpty && aside.count == 0
        && candidate == nil
    }

    /// Worth a look, whatever the time is and whoever calls.
    var isReady: Bool {
      guard !isPaused else { return false }
      return candidate != nil || !returned.isEmpty || canLookAhead
    }

    var canLookAhead: Bool { !isExhausted && aside.count < Self.longestAside }

    func reaches(_ number: UInt32) -> Bool { number >= first && number <= last }

    func holds(_ number: UInt32) -> Bool {
      inFlight[number] != nil || returned.contains(number) || waiting.contains(number)
        || aside.contains(number)
    }
  }
}
