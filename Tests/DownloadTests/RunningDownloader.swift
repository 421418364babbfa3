// SPDX-License-Identifier: Apache-2.0
// A downloader that runs its errands until the test releases it, and takes URLs as text. Concurrency:
// immutable.

import Digests
import Synchronization
import Vocabulary

@testable import Download

final class RunningDownloader: Sendable {
  let downloader: Downloader
  private let run: Task<Void, Never>

  init(
    network: any Network, partials: PartialShelf, cache: OriginalCache? = nil,
    settings: DownloadSettings = DownloadSettings(), files: FileFolders = FileFolders()
  ) {
    let downloader = Downloader(
      network: network, partials: partials, cache: cache, settings: settings, files: files)
    self.downloader = downloader
    run = Task { await downloader.run() }
  }

  deinit { downloader.stop() }

  /// Stops it; returns when everything that was begun is done.
  func end() async {
    downloader.stop()
    await run.value
  }

  var cache: OriginalCache? { downloader.cache }
  var isQuiet: Bool { downloader.state.withLock { $0.flights.isEmpty } }

  func change(_ settings: DownloadSettings) { downloader.change(settings, files: FileFolders()) }
  func discardPartials() { downloader.discardPartials() }
  func progress() -> [DownloadProgress] { downloader.progress() }

  func download(
    _ photo: PhotoID, from url: String, into folder: any Folder,
    priority: ServiceClass = .default, checksum: SHA256Digest? = nil
  ) async throws(Failure) -> Original {
    try await downloader.download(
      photo, from: PhotoURL(parsing: url), into: folder, priority: priority, checksum: checksum)
  }

  func discard(_ photo: PhotoID, from url: String, in folder: any Folder) throws(Failure) {
    downloader.discard(photo, from: try PhotoURL(parsing: url), in: folder)
  }
}
