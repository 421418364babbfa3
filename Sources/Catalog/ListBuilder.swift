// SPDX-License-Identifier: Apache-2.0
// Turns events into a catalog: passes them to `ListForm`, checks the names of the photos, writes them. Raises
// `list.duplicate`, `list.limit`, `list.empty`, the errors of `ListForm`, and trouble with the catalog.

package import Vocabulary

package struct ListBuilder {
  private var form: ListForm
  private var names = NameIndex()
  private var writer: CatalogWriter
  private let limits: ListLimits

  package init(
    catalog: any OpenFile, limits: ListLimits, spelling: KeySpelling = .exact
  ) throws(Failure) {
    form = ListForm(spelling)
    writer = try CatalogWriter(catalog, limits: limits)
    self.limits = limits
  }

  package mutating func take(_ event: ListEvent, at place: ListPlace) throws(Failure) {
    try form.take(event, at: place)
    if !form.ready.isEmpty { try addReady() }
  }

  /// Call at the end of the list.
  package mutating func finish() throws(Failure) {
    try form.finish()
    try addReady()
    guard writer.count > 0 else { throw ListRefusal.empty() }
    try writer.finish(form.options)
  }

  private mutating func addReady() throws(Failure) {
    for draft in form.ready { try add(draft) }
    form.ready.removeAll(keepingCapacity: true)
  }

  /// Adds a complete photo between the start and the end of an array.
  mutating func add(_ draft: PhotoDraft) throws(Failure) {
    guard writer.count < limits.photos else {
      throw ListRefusal.tooMany(draft.place, limit: limits.photos)
    }
    let row = draft.row(limits)
    if draft.isKeyed, draft.name?.isWhole == true {
      let name = String(decoding: row.name, as: UTF8.self)
      let other = try names.insert(name, number: writer.count + 1) { number throws(Failure) in
        NameIndex.isSame(try writer.entry(number).name, name)
      }
      if let other { throw try duplicate(of: other, ListText(row.name), draft.place) }
    }
    try writer.add(row)
  }

  private mutating func duplicate(
    of number: UInt32, _ name: ListText, _ place: ListPlace
  ) throws(Failure) -> Failure {
    let first = try writer.entry(number)
    return first.name.utf8.elementsEqual(name.bytes)
      ? ListRefusal.duplicate(name, first.place, place)
      : ListRefusal.twins(name, first.place, place)
  }
}
