// SPDX-License-Identifier: Apache-2.0
// One photo to be written to the catalog. Name and URL are UTF-8 bytes: the writer needs no text.

package struct CatalogRow: Equatable, Sendable {
  package let name: [UInt8]
  package let url: [UInt8]
  package let problem: String?
  package let options: PhotoOptions
  package let place: ListPlace

  package init(
    name: [UInt8], url: [UInt8], problem: String? = nil, options: PhotoOptions = PhotoOptions(),
    place: ListPlace
  ) {
    self.name = name
    self.url = url
    self.problem = problem
    self.options = options
    self.place = place
  }

  /// Appends the entry, preceded by its size.
  func encode(into out: inout [UInt8]) {
    let words = problem.map { ListText($0).cut(to: CatalogFormat.longestProblem) }
    let own = options.fields
    let placeNumbers = placeNumbers
    var size = [UInt8].size(ofField: name.count) + [UInt8].size(ofField: url.count) + own.count
    for (_, number) in placeNumbers {
      size += [UInt8].size(ofField: [UInt8].size(ofVarint: number))
    }
    if let words { size += [UInt8].size(ofField: words.count) }
    out.append(varint: UInt64(size))
    out.append(field: CatalogFormat.PhotoTag.name, name)
    out.append(field: CatalogFormat.PhotoTag.url, url)
    if let words { out.append(field: CatalogFormat.PhotoTag.problem, words) }
    for (tag, number) in placeNumbers {
      out.append(tag)
      out.append(varint: UInt64([UInt8].size(ofVarint: number)))
      out.append(varint: number)
    }
    out.append(contentsOf: own)
  }

  private var placeNumbers: [(UInt8, UInt64)] {
    switch place {
    case .line(let line): [(CatalogFormat.PhotoTag.line, line)]
    case .spot(let line, let column):
      [(CatalogFormat.PhotoTag.line, line), (CatalogFormat.PhotoTag.column, column)]
    case .byte(let offset): [(CatalogFormat.PhotoTag.byte, offset)]
    }
  }
}
