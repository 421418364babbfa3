// SPDX-License-Identifier: Apache-2.0
// What is known of the things a notice is about. Facts only: the words are made in `Notice+Words.swift`.
// Names may be any text; they are made safe to show when the words are made.

package import Vocabulary

package struct ListFacts: Equatable, Sendable {
  package var id: ListID
  package var name: String
  package var total: UInt32
  /// Photos that are filtered.
  package var done: UInt32
  package var failed: UInt32
  package var serviceClass: ServiceClass

  package init(
    id: ListID, name: String, total: UInt32, done: UInt32 = 0, failed: UInt32 = 0,
    serviceClass: ServiceClass = .default
  ) {
    self.id = id
    self.name = name
    self.total = total
    self.done = done
    self.failed = failed
    self.serviceClass = serviceClass
  }
}

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
  /// Of the print; nil where there is none.
  package var developed: Developed?
  /// The print's path below the prints folder.
  package var print: String?
  package var downloadTime: Duration?
  package var filterTime: Duration?
  package var outputTime: Duration?
  /// Admitted, but waiting for a place in some stage.
  package var queuedTime: Duration?

  package init(
    id: PhotoID, name: String, listName: String, state: PhotoState,
    stateBefore: PhotoState = .new, serviceClass: ServiceClass = .default, host: String = ""
  ) {
    self.id = id
    self.name = name
    self.listName = listName
    self.state = state
    self.stateBefore = stateBefore
    self.serviceClass = serviceClass
    self.host = host
  }
}

/// What a start found in the journal file.
package struct ReplayFacts: Equatable, Sendable {
  package var records: UInt64
  package var openLists: UInt64
  /// An unfinished record at the end is the trace of a crash and loses nothing that was promised.
  package var bytesCut: UInt64
  /// Records that are damaged or missing in the middle.
  package var recordsLost: UInt64
  /// The first damaged place; empty where nothing is damaged.
  package var file: String
  package var offset: UInt64

  package init(
    records: UInt64, openLists: UInt64, bytesCut: UInt64 = 0, recordsLost: UInt64 = 0,
    file: String = "", offset: UInt64 = 0
  ) {
    self.records = records
    self.openLists = openLists
    self.bytesCut = bytesCut
    self.recordsLost = recordsLost
    self.file = file
    self.offset = offset
  }
}
