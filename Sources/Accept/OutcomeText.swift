// SPDX-License-Identifier: Apache-2.0
// The two property lists that tell what came of a list: its results, and a list of what failed. The
// keys are a format that others read: photo-list(5) says what each means.

internal import Vocabulary

enum OutcomeText {
  static func open(_ outcome: ListOutcome, in writer: PropertyListWriter) {
    writer.open(.dict)
    writer.string("List", outcome.name)
    writer.integer("ID", outcome.list.number)
    if !outcome.title.isEmpty { writer.string("Title", outcome.title) }
    writer.integer("Owner", outcome.owner)
    writer.string("State", outcome.state.name)
    writer.date("Accepted", outcome.accepted)
    writer.date("Finished", outcome.ended)
    writer.string("QualityOfService", outcome.serviceClass.name)
    writer.string("Filter", "\(outcome.filter)")
    writer.string("Quality", "\(outcome.quality)")
    writer.string("Metadata", outcome.metadata.name)
    writer.string("Prints", outcome.prints)
    writer.key("Photos")
    writer.open(.array)
  }

  static func add(
    _ photo: PhotoOutcome, to writer: PropertyListWriter
  ) throws(SystemError) {
    writer.open(.dict)
    writer.string("Name", photo.name)
    writer.string("URL", withoutCredentials(photo.url))
    switch photo.ending {
    case .filtered(let print):
      writer.string("State", PhotoState.filtered.name)
      writer.string("Print", print.name)
      writer.string("SHA256", print.sha256)
      writer.integer("Bytes", print.bytes)
      writer.integer("Width", print.width)
      writer.integer("Height", print.height)
    case .failed(let code, let reason, _):
      writer.string("State", PhotoState.failed.name)
      writer.string("Code", code)
      writer.string("Reason", reason)
    case .new: writer.string("State", PhotoState.new.name)
    case .unknown: writer.string("State", "unknown")
    }
    if let own = photo.options.serviceClass { writer.string("QualityOfService", own) }
    writer.integer("Attempts", photo.attempts)
    writer.seconds("QueuedSeconds", photo.queuedMicroseconds)
    writer.seconds("DownloadSeconds", photo.downloadMicroseconds)
    writer.seconds("FilterSeconds", photo.filterMicroseconds)
    writer.seconds("OutputSeconds", photo.outputMicroseconds)
    try writer.close(.dict)
  }

  /// Counted from what was told above, so that the two never differ.
  static func closePhotos(
    total: UInt32, filtered: UInt32, failed: UInt32, in writer: PropertyListWriter
  ) throws(SystemError) {
    try writer.close(.array)
    writer.integer("PhotosTotal", total)
    writer.integer("PhotosFiltered", filtered)
    writer.integer("PhotosFailed", failed)
  }

  /// The options as they were in force: what is retried becomes what it would have been.
  static func openRetry(_ outcome: ListOutcome, in writer: PropertyListWriter) {
    writer.open(.dict)
    if !outcome.title.isEmpty { writer.string("Title", outcome.title) }
    writer.string("QualityOfService", outcome.serviceClass.name)
    writer.string("Filter", "\(outcome.filter)")
    writer.string("Quality", "\(outcome.quality)")
    writer.string("Metadata", outcome.metadata.name)
    writer.key("Photos")
    writer.open(.array)
  }

  static func addRetry(
    _ photo: PhotoOutcome, to writer: PropertyListWriter
  ) throws(SystemError) {
    writer.open(.dict)
    writer.string("Name", photo.name)
    writer.string("URL", withoutCredentials(photo.url))
    let options = photo.options
    if let filter = options.filter { writer.string("Filter", filter) }
    if let quality = options.quality { writer.string("Quality", quality) }
    if let metadata = options.metadata { writer.string("Metadata", metadata) }
    if let sha256 = options.sha256 { writer.string("SHA256", sha256) }
    if let own = options.serviceClass { writer.string("QualityOfService", own) }
    try writer.close(.dict)
  }

  static func close(_ writer: PropertyListWriter) throws(SystemError) -> FileCopy.Sum {
    try writer.close(.dict)
    return try writer.end()
  }

  /// Whatever stands before an `@` in front of the path goes, in URLs that are none as well. One that
  /// is whole has none there: it is refused for that.
  static func withoutCredentials(_ url: String) -> String {
    guard url.utf8.contains(UInt8(ascii: "@")), (try? PhotoURL(parsing: url)) == nil else {
      return url
    }
    return ShownURL.withoutCredentials(url)
  }
}
