// SPDX-License-Identifier: Apache-2.0
// The first stage: downloads a photo's URL into a whole original in its list's folder. Raises `Failure`.
// Photos with the same URL share one transfer, and each gets its own original. The bytes of a failed or
// cancelled transfer are kept if another one can resume them. The recorder makes originals durable.
// Concurrency model: `state` guards the settings and the passengers of each transfer; answers are given after
// unlocking. A download keeps the settings it began with. `download` and `discard` may wait for the disk, so
// their callers run on the disk pool. All other disk work is an errand owned by `run`: network threads and
// cancellations never wait for the disk.

package import Digests
import Files
import Synchronization
package import Vocabulary

package final class Downloader: Sendable {
  struct State {
    var settings: DownloadSettings
    var files: FileFolders
    var flights = FlightTable()
  }

  let network: any Network
  let partials: PartialShelf
  package let cache: OriginalCache?
  let errands = DiskErrands()
  let state: Mutex<State>

  package init(
    network: any Network, partials: PartialShelf, cache: OriginalCache? = nil,
    settings: DownloadSettings = DownloadSettings(), files: FileFolders = FileFolders()
  ) {
    self.network = network
    self.partials = partials
    self.cache = cache
    state = Mutex(State(settings: settings, files: files))
    limitCache(to: settings.cache)
  }

  /// Owns the disk work that outlives a call; returns after `stop`, when all of it is done. A transfer's
  /// writer belongs to it, so the network must stop first.
  package func run() async { await errands.run() }

  /// Transfers that need the disk after this end as cancelled.
  package func stop() { errands.stop() }

  /// Applies to downloads that begin after the call.
  package func change(_ settings: DownloadSettings, files: FileFolders) {
    state.withLock { ($0.settings, $0.files) = (settings, files) }
    limitCache(to: settings.cache)
  }

  private func limitCache(to bytes: UInt64) {
    guard let cache else { return }
    let gone = cache.limit(to: bytes)
    // If the errand is refused, the next start removes the files.
    if !gone.isEmpty { _ = errands.begin { cache.remove(gone) } }
  }

  /// `folder` is the list's folder of originals. An original whose SHA-256 differs from `checksum` is a final
  /// failure.
  package func download(
    _ photo: PhotoID, from url: PhotoURL, into folder: any Folder, priority: ServiceClass,
    owner: UInt32 = 0, checksum: SHA256Digest? = nil
  ) async throws(Failure) -> Original {
    if Task.isCancelled { throw .cancelled }
    do throws(Failure) {
      return url.scheme == .file
        ? try copy(photo, url, folder, checksum)
        : try await fly(photo, of: owner, url, folder, priority, checksum)
    } catch {
      if error.kind == .final { discard(photo, in: folder) }
      throw error
    }
  }

  /// Removes the remains of a photo that failed for good.
  package func discard(_ photo: PhotoID, from url: PhotoURL? = nil, in folder: any Folder) {
    try? folder.removeIfThere(Original.name(of: photo))
    guard let url, partials.holds(url.text), !state.withLock({ $0.flights.isFlying(url) })
    else { return }
    partials.forget(url.text)
  }

  /// Removes all partial files. Call only when no list is open.
  package func discardPartials() {
    // If the errand is refused, the next start finds the files.
    _ = errands.begin { [self] in
      if state.withLock({ $0.flights.isEmpty }) { partials.clear() }
    }
  }

  /// The running transfers, each with its photos.
  package func progress() -> [DownloadProgress] {
    let photos = state.withLock { $0.flights.photos() }
    return network.progress().compactMap { transfer in
      photos[transfer.ticket].map { DownloadProgress(photos: $0, transfer: transfer) }
    }
  }

  // MARK: files

  private func copy(
    _ photo: PhotoID, _ url: PhotoURL, _ folder: any Folder, _ checksum: SHA256Digest?
  ) throws(Failure) -> Original {
    let (settings, files) = state.withLock { ($0.settings, $0.files) }
    let source = try files.open(url.filePath())
    let file = try asMachine { () throws(SystemError) in
      try folder.openAnew(Original.name(of: photo))
    }
    var head: ArraySlice<UInt8> = []
    let (size, digest) = try FileCopy.each(
      of: source, upTo: settings.maximumSize,
      failing: { $0.isCancelled ? .cancelled : FileFolders.unreadable($0) }
    ) { bytes, offset throws(Failure) in
      if offset == 0 { head = bytes.prefix(PartialFile.headSize) }
      try asMachine { () throws(SystemError) in try file.write(bytes, at: offset) }
    }
    guard size <= settings.maximumSize else {
      throw Self.tooLarge("the file", limit: settings.maximumSize)
    }
    try judge(size, head, "the file")
    try compare(digest, checksum)
    return Original(
      file: file, name: Original.name(of: photo),
      contents: Contents(size: size, hash: digest.prefix), host: url.host, status: 0,
      isEndSure: true)
  }

  func judge(_ size: UInt64, _ head: ArraySlice<UInt8>, _ from: @autoclosure () -> String)
    throws(Failure)
  {
    guard size > 0 else {
      throw Failure(.final, code: "download.empty", reason: "\(from()) is empty")
    }
    guard !PageSniffer.isPage(head) else {
      throw Failure(
        .final, code: "download.html", reason: "\(from()) is a web page, not a photo",
        advice: "The link may need a login, or lead to a page about the photo")
    }
  }

  /// The reason fits into a result row, so that the row shows the whole digest.
  func compare(_ digest: SHA256Digest, _ checksum: SHA256Digest?) throws(Failure) {
    guard let checksum, digest != checksum else { return }
    throw Failure(
      .final, code: "download.sha256",
      reason: "its SHA-256 is \(digest.hex), not the one in the list",
      advice: "Correct SHA256 in the list if this is the right photo")
  }
}
