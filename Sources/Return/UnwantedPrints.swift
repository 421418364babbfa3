// SPDX-License-Identifier: Apache-2.0
// Notes of the prints in a store that no list has any more, for lists that were removed or whose prints have expired. A
// note decides that they go, and stays until they are gone: STATE/unwanted/N has the name of their folder. Raises
// SystemError.
// Concurrency: immutable; waits for a disk.

internal import Files
package import Vocabulary

package struct UnwantedPrints: Sendable {
  private let notes: any Folder

  package init(_ notes: any Folder) { self.notes = notes }

  /// Durable on return.
  package func add(_ list: ListID, _ prints: FileName) throws(SystemError) {
    try notes.write(whole: prints.bytes, as: FileName(number: list.number))
  }

  /// In the order of their lists. A note that is damaged is left out.
  package func all() throws(SystemError) -> [(list: ListID, prints: FileName)] {
    var all: [(list: ListID, prints: FileName)] = []
    for name in try notes.names() {
      guard let list = ListFolder.number(name), let bytes = try notes.contents(of: name, upTo: 256),
        let prints = FileName(bytes: bytes)
      else { continue }
      all.append((list, prints))
    }
    return all.sorted { $0.list < $1.list }
  }

  package func remove(_ list: ListID) throws(SystemError) {
    try notes.removeIfThere(FileName(number: list.number))
    try notes.sync()
  }
}
