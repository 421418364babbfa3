// SPDX-License-Identifier: Apache-2.0
// One photo of a list as the catalog has it. Name and URL are kept as the list gives them.

package import Vocabulary

package struct CatalogEntry: Equatable, Sendable {
  package let name: String
  package let url: String
  /// Why the photo cannot be worked on, without a full stop: `its URL is empty (line 12)`. The name
  /// may then be empty or cut, and the URL empty.
  package let problem: String?
  package let options: PhotoOptions
  /// Where the photo stands in its list.
  package let place: ListPlace

  package init(
    name: String, url: String, problem: String?, options: PhotoOptions = PhotoOptions(),
    place: ListPlace
  ) {
    self.name = name
    self.url = url
    self.problem = problem
    self.options = options
    self.place = place
  }

  /// Whether a photo is the same work: its place in the list does not count, nor how urgent it is.
  package func isSame(as other: CatalogEntry) -> Bool {
    name == other.name && url == other.url && problem == other.problem
      && options.asWork == other.options.asWork
  }

  /// The problem as the photo fails with it.
  package var failure: Failure? {
    problem.map {
      Failure(
        .final, code: "list.entry", reason: $0, advice: "Correct the list and drop it again")
    }
  }
}
