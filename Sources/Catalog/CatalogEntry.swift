// SPDX-License-Identifier: Apache-2.0
// One photo of a list, as the catalog stores it.

package import Vocabulary

package struct CatalogEntry: Equatable, Sendable {
  package let name: String
  package let url: String
  /// Why the photo cannot be processed, without a full stop: `its URL is empty (line 12)`. Its name may be
  /// empty or cut then, and its URL empty.
  package let problem: String?
  package let options: PhotoOptions
  /// The place of the photo in its list.
  package let place: ListPlace

  /// True if both entries ask for the same print: place and class do not count.
  package func isSame(as other: CatalogEntry) -> Bool {
    OutsideText.isSame(name, other.name) && OutsideText.isSame(url, other.url)
      && OutsideText.isSame(problem ?? "", other.problem ?? "")
      && options.asWork == other.options.asWork
  }

  /// Equal for entries that are the same; another one in each process.
  package var workHash: Int {
    var hasher = Hasher()
    for text in [name, url, problem ?? ""] { hasher.combine(OutsideText(checked: text)) }
    hasher.combine(options.asWork)
    return hasher.finalize()
  }

  /// The failure of a photo with a problem.
  package var failure: Failure? {
    problem.map {
      Failure(
        .final, code: "list.entry", reason: $0, advice: "Correct the list and drop it again")
    }
  }
}
