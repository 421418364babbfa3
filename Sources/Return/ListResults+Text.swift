// SPDX-License-Identifier: Apache-2.0
// The keys of the results and of the retry list, a format for other programs; photo-list(5) describes it.
// Raises the file's errors.

internal import Files
internal import Vocabulary

extension PropertyListWriter {
  func openResults(_ outcome: ListOutcome) {
    open(.dict)
    string("List", outcome.name)
    integer("ID", outcome.list.number)
    if !outcome.title.isEmpty { string("Title", outcome.title) }
    integer("Owner", outcome.owner)
    string("State", outcome.state.name)
    date("Accepted", outcome.accepted)
    date("Finished", outcome.ended)
    terms(outcome)
    if let prints = outcome.prints { string("Prints", prints) }
    key("Photos")
    open(.array)
  }

  func addResult(_ photo: PhotoOutcome) throws(SystemError) {
    open(.dict)
    string("Name", photo.name)
    string("URL", ListResults.withoutCredentials(photo.url))
    switch photo.ending {
    case .filtered(let print):
      string("State", PhotoState.filtered.name)
      string("Print", print.name)
      string("SHA256", print.sha256)
      integer("Bytes", print.bytes)
      integer("Width", print.width)
      integer("Height", print.height)
    case .failed(let code, let reason, _):
      string("State", PhotoState.failed.name)
      string("Code", code)
      string("Reason", reason)
    case .new: string("State", PhotoState.new.name)
    case .unknown: string("State", "unknown")
    }
    if let own = photo.options.serviceClass { string("QualityOfService", own) }
    integer("Attempts", photo.attempts)
    seconds("QueuedSeconds", photo.queuedMicroseconds)
    seconds("DownloadSeconds", photo.downloadMicroseconds)
    seconds("FilterSeconds", photo.filterMicroseconds)
    seconds("OutputSeconds", photo.outputMicroseconds)
    try close(.dict)
  }

  /// The totals are counted from the photos above, so that they always agree.
  func closeResults(total: UInt32, filtered: UInt32, failed: UInt32) throws(SystemError) {
    try close(.array)
    integer("PhotosTotal", total)
    integer("PhotosFiltered", filtered)
    integer("PhotosFailed", failed)
    try close(.dict)
  }

  func openRetry(_ outcome: ListOutcome) {
    open(.dict)
    if !outcome.title.isEmpty { string("Title", outcome.title) }
    terms(outcome)
    if let notify = outcome.kept.notify { string("Notify", notify.text) }
    key("Photos")
    open(.array)
  }

  func addRetry(_ photo: PhotoOutcome) throws(SystemError) {
    open(.dict)
    string("Name", photo.name)
    string("URL", ListResults.withoutCredentials(photo.url))
    let options = photo.options
    if let filter = options.filter { string("Filter", filter) }
    if let quality = options.quality { string("Quality", quality) }
    if let metadata = options.metadata { string("Metadata", metadata) }
    if let sha256 = options.sha256 { string("SHA256", sha256) }
    if let own = options.serviceClass { string("QualityOfService", own) }
    try close(.dict)
  }

  func closeRetry() throws(SystemError) {
    try close(.array)
    try close(.dict)
  }

  /// The options in force, so that a retry makes the same print.
  private func terms(_ outcome: ListOutcome) {
    string("QualityOfService", outcome.serviceClass.name)
    string("Filter", "\(outcome.filter)")
    string("Quality", "\(outcome.quality)")
    string("Metadata", outcome.metadata.name)
    if outcome.kept.isPrivate { string("Private", "yes") }
    if let sheet = outcome.kept.hasSheet { string("ContactSheet", sheet ? "yes" : "no") }
  }
}

extension ListResults {
  /// Removes everything up to an `@` before the path, even from a malformed URL. A valid URL has none there:
  /// it would be refused.
  static func withoutCredentials(_ url: String) -> String {
    guard url.utf8.contains(UInt8(ascii: "@")), (try? PhotoURL(parsing: url)) == nil else {
      return url
    }
    return ShownURL.withoutCredentials(url)
  }
}
