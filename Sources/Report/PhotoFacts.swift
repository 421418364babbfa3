// SPDX-License-Identifier: Apache-2.0
// The facts of a photo that a notice is about. `Notice+Facts` escapes the names.

package import Vocabulary

package struct PhotoFacts: Equatable, Sendable {
  package var id: PhotoID
  package var name: String
  package var listName: String
  package var state: PhotoState
  package var stateBefore: PhotoState
  package var serviceClass: ServiceClass
  /// Never the URL: queries carry secrets.
  package var host: String
  package var attempt: UInt32 = 1
  package var httpStatus: UInt32?
  /// Describes the print; nil without one.
  package var developed: Developed?
  /// The print's path below the prints folder.
  package var print: String?
  package var times = Times()
  /// Of its list.
  package var owner: Person?

  package struct Times: Equatable, Sendable {
    package var download: Duration?
    package var filter: Duration?
    package var output: Duration?
    /// Time spent admitted but waiting for a place in a stage.
    package var queued: Duration?

    package init() {}
  }

  package init(
    id: PhotoID, name: String, listName: String, state: PhotoState,
    stateBefore: PhotoState = .new, serviceClass: ServiceClass = .default, host: String = "",
    owner: Person? = nil
  ) {
    self.id = id
    self.name = name
    self.listName = listName
    self.state = state
    self.stateBefore = stateBefore
    self.serviceClass = serviceClass
    self.host = host
    self.owner = owner
  }
}

extension PhotoFacts: NamesPeople {
  mutating func name(_ names: inout PersonNames) { owner.name(&names) }
}
