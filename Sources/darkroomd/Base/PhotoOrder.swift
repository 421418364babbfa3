// SPDX-License-Identifier: Apache-2.0
// The facts about a photo that the stages need: read from the catalog when the photo is admitted, and handed
// from stage to stage. A value; a bad URL is a failure in `url`, raised by the download.

import Catalog
import Vocabulary

struct PhotoOrder: Sendable {
  let list: OpenList
  let name: String
  /// The URL as the list has it.
  let text: String
  /// A failure if the list's entry is wrong.
  let url: Result<PhotoURL, Failure>
  let options: PhotoOptions

  init(_ entry: CatalogEntry, of list: OpenList) {
    self.list = list
    name = entry.name
    text = entry.url
    options = entry.options
    if let failure = entry.failure {
      url = .failure(failure)
    } else {
      url = Result { () throws(Failure) in try PhotoURL(parsing: entry.url) }
    }
  }

  var host: String { (try? url.get())?.host ?? "" }
}

/// The durations of a photo's steps.
struct StageTime: Equatable, Sendable {
  var queued = Duration.zero
  var download: Duration?
  var filter: Duration?
  var output: Duration?
  var httpStatus: UInt32?
}
