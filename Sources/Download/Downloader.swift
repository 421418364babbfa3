// SPDX-License-Identifier: Apache-2.0
// The first stage: a photo's URL becomes an original, whole, in the folder of its list. Raises
// `Failure`. Photos with one URL share one transfer, and each gets an original of its own. What has come
// of a transfer that failed or was cancelled is kept where another one can go on from it. Making an
// original durable and naming it for good is the record's.
// Concurrency model: `state` is swapped at a reload; a download keeps the settings it began with.
// `flights` guards who waits for which transfer; what it answers is done after unlocking.

package import Digests
import Synchronization
package import Vocabulary

package final class Downloader: Sendable {
  /// Runs a job that may wait for a disk, on a thread of its own.
  package typealias Lane = @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct State {
    var settings: DownloadSettings
    var files: FileFolders
  }

  let network: any Network
  let partials: PartialShelf
  package let cache: OriginalCache?
  let lane: Lane
  private let state: Mutex<State>
  let flights = Mutex(FlightTable())

  package init(
    network: any Network, partials: PartialShelf, cache: OriginalCache? = nil,
    settings: DownloadSettings = DownloadSettings(), files: FileFolders = FileFolders(),
    lane: @escaping Lane
  ) {
    self.network = network
    self.partials = partials
    self.cache = cache
    self.lane = lane
    state = Mutex(State(settings: settings, files: files))
    cache?.change(limit: settings.cache)
  }

  /// For downloads that begin from now on.
  package func change(_ settings: DownloadSettings, files: FileFolders) {
    state.withLock { $0 = State(settings: settings, files: files) }
    cache?.change(limit: settings.cache)
  }

  var settings: DownloadSettings { state.withLock { $0.settings } }

  /// `folder` is the list's own among the originals. What has another checksum than this one, where
  /// there is one, fails for good.
  package func download(
    _ photo: PhotoID, from url: String, into folder: any Folder, priority: ServiceClass,
    checksum: SHA256Digest? = nil
  ) async throws(Failure) -> Original {
    if Task.isCancelled { throw .cancelled }
    let url = try PhotoURL(parsing: url)
    do throws(Failure) {
      return url.scheme == .file
        ? try await copy(photo, url, folder, checksum)
        : try await fly(photo, url, folder, priority, checksum)
    } catch {
      if error.kind == .final { discard(photo, in: folder) }
      throw error
    }
  }

  /// Removes what an attempt left behind, once the photo is given up.
  package func discard(_ photo: PhotoID, from url: String? = nil, in folder: any Folder) {
    try? folder.removeIfThere(Original.name(of: photo))
    guard let url = url.flatMap({ try? PhotoURL(parsing: $0) }), partials.holds(url.text),
      !flights.withLock({ $0.isFlying(url) })
    else { return }
    partials.forget(url.text)
  }

  /// No list is open: nobody will go on with what is kept.
  package func discardPartials() {
    if flights.withLock({ $0.isEmpty }) { partials.clear() }
  }

  /// What is on its way now, and for whom.
  package func progress() -> [DownloadProgress] {
    let photos = flights.withLock { $0.photos() }
    return network.progress().compactMap { transfer in
      photos[transfer.ticket].map { DownloadProgress(photos: $0, transfer: transfer) }
    }
  }

  // MARK: files

  private func copy(
    _ photo: PhotoID, _ url: PhotoURL, _ folder: any Folder, _ checksum: SHA256Digest?
  ) async throws(Failure) -> Original {
    let (settings, files) = state.withLock { ($0.settings, $0.files) }
    let source = try files.open(url.filePath())
    let file: any OpenFile
    do throws(SystemError) { file = try folder.openAnew(Original.name(of: photo)) } catch {
      throw error.machineFailure
    }
    let target = IncomingFile(file)
    try await FileCopy(from: source, to: target, maximumSize: settings.maximumSize).run(on: lane)
    guard let arrival = target.arrival else {
      throw Failure(.passing, code: "size.short", reason: "the file did not come in order")
    }
    try judge(arrival.size, arrival.head, "the file")
    try compare(arrival.digest, checksum)
    return Original(
      file: file, name: Original.name(of: photo), contents: arrival.contents, host: url.host,
      status: 0)
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

  /// The words fit a row of results, so that the whole digest can be taken from there.
  func compare(_ digest: SHA256Digest, _ checksum: SHA256Digest?) throws(Failure) {
    guard let checksum, digest != checksum else { return }
    throw Failure(
      .final, code: "download.sha256",
      reason: "its SHA-256 is \(digest.hex), not the one in the list",
      advice: "Correct SHA256 in the list if this is the right photo")
  }
}
