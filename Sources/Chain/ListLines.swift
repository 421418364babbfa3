// SPDX-License-Identifier: Apache-2.0
// The lines of a list: usually one, several if photos set a class.

package import Vocabulary

package struct ListLines: Sendable {
  package struct Part: Sendable {
    /// Nil for photos that set no class.
    package let own: ServiceClass?
    /// The part of the list that contains the photos of the line.
    package let first: UInt32
    package let last: UInt32
    /// Photos that wait for another attempt, with their due times by uptime.
    package var waiting: [(number: UInt32, due: Duration)]

    package init(
      own: ServiceClass?, first: UInt32 = 1, last: UInt32 = .max,
      waiting: [(number: UInt32, due: Duration)] = []
    ) {
      self.own = own
      self.first = first
      self.last = last
      self.waiting = waiting
    }

    /// True if the photo belongs to this line.
    package func holds(_ number: UInt32, own: ServiceClass?) -> Bool {
      own == self.own && number >= first && number <= last
    }
  }

  /// The user whose share of the machine the list takes.
  package let owner: UInt32
  /// The class of photos that set no class.
  package let serviceClass: ServiceClass
  package var parts: [Part]

  package init(_ serviceClass: ServiceClass, owner: UInt32 = 0, parts: [Part]) {
    self.owner = owner
    self.serviceClass = serviceClass
    self.parts = parts
  }

  package init(
    _ serviceClass: ServiceClass, owner: UInt32 = 0,
    waiting: [(number: UInt32, due: Duration)] = []
  ) {
    self.init(serviceClass, owner: owner, parts: [Part(own: nil, waiting: waiting)])
  }
}
