// SPDX-License-Identifier: Apache-2.0
// The office's reports about lists and nodes.

package import Vocabulary

package enum LedgerState: UInt8, Sendable {
  case running = 0
  case paused = 1
  /// Cancelled; a node has a share of it.
  case cancelling = 2
  case finished = 3
  case cancelled = 4

  package var isFinal: Bool { rawValue >= Self.finished.rawValue }
}

package enum ListOrder: Equatable, Sendable {
  case pause, resume, cancel
  case quality(ServiceClass)
}

package struct ListProgress: Equatable, Sendable {
  package let list: LedgerList
  package let owner: String
  package let name: [UInt8]
  package let folder: [UInt8]
  package let serviceClass: ServiceClass
  package let state: LedgerState
  package let photos: UInt32
  package let filtered: UInt32
  package let failed: UInt32
  /// The number of photos in leased shares.
  package let leased: UInt32
  /// The number of nodes that lease these photos.
  package let nodes: UInt32

  package init(
    _ list: LedgerList, owner: String, name: [UInt8], folder: [UInt8],
    serviceClass: ServiceClass, state: LedgerState, photos: UInt32, filtered: UInt32,
    failed: UInt32, leased: UInt32, nodes: UInt32
  ) {
    self.list = list
    self.owner = owner
    self.name = name
    self.folder = folder
    self.serviceClass = serviceClass
    self.state = state
    self.photos = photos
    self.filtered = filtered
    self.failed = failed
    self.leased = leased
    self.nodes = nodes
  }
}

package struct NodeFacts: Equatable, Sendable {
  package let name: String
  /// The time since the last pulse of the node, in whole seconds.
  package let silence: Duration
  package let isDraining: Bool
  /// Photos in its shares.
  package let leased: UInt32
  /// The version of darkroomd; empty if the node does not report its version.
  package let version: String

  package init(
    _ name: String, silence: Duration, isDraining: Bool, leased: UInt32, version: String
  ) {
    self.name = name
    self.silence = silence
    self.isDraining = isDraining
    self.leased = leased
    self.version = version
  }
}

package struct PulseAnswer: Equatable, Sendable {
  package struct Lease: Equatable, Sendable {
    /// The share in its current state, with the class of its list and with the recorded photos.
    package let share: Share
    /// Of the last report.
    package let sequence: UInt32
    /// Of the list.
    package let state: LedgerState

    package init(_ share: Share, sequence: UInt32, _ state: LedgerState) {
      self.share = share
      self.sequence = sequence
      self.state = state
    }
  }

  /// In the order of list and photo.
  package let leases: [Lease]
  package let isDraining: Bool
  /// True if the ledger has a list that is not over.
  package let isOpen: Bool
  /// In the order of their servers; nil without a request.
  package let seats: Result<[SeatGrant], Failure>?

  package init(
    leases: [Lease], isDraining: Bool, isOpen: Bool, seats: Result<[SeatGrant], Failure>? = nil
  ) {
    self.leases = leases
    self.isDraining = isDraining
    self.isOpen = isOpen
    self.seats = seats
  }
}
