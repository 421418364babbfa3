// SPDX-License-Identifier: Apache-2.0
// The first stage: a photo's URL becomes an original, whole, in the folder of its list. Raises
// `Failure`. A partial file stays where trying again makes sense, and is started over then; it goes
// where the photo is given up. Making it durable and naming it for good is the record's.
// Concurrency model: `state` is swapped at a reload; a download keeps the settings it began with.

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

  private let network: any Network
  private let lane: Lane
  private let state: Mutex<State>

  package init(
    network: any Network, settings: DownloadSettings = DownloadSettings(),
    files: FileFolders = FileFolders(), lane: @escaping Lane
  ) {
    self.network = network
    self.lane = lane
    state = Mutex(State(settings: settings, files: files))
  }

  /// For downloads that begin from now on.
  package func change(_ settings: DownloadSettings, files: FileFolders) {
    state.withLock { $0 = State(settings: settings, files: files) }
  }

  /// `folder` is the list's own among the originals. What has another checksum than this one, where
  /// there is one, fails for good.
  package func download(
    _ photo: PhotoID, from url: String, into folder: any Folder, priority: ServiceClass,
    checksum: SHA256Digest? = nil
  ) async throws(Failure) -> Original {
    if Task.isCancelled { throw .cancelled }
    let url = try PhotoURL(parsing: url)
    do throws(Failure) {
      return try await bring(photo, url, folder, priority, checksum)
    } catch {
      if error.kind == .final { discard(photo, in: folder) }
      throw error
    }
  }

  /// Removes what an attempt left behind, once the photo is given up.
  package func discard(_ photo: PhotoID, in folder: any Folder) {
    try? folder.removeIfThere(Original.partialName(of: photo))
  }

  private func bring(
    _ photo: PhotoID, _ url: PhotoURL, _ folder: any Folder, _ priority: ServiceClass,
    _ checksum: SHA256Digest?
  ) async throws(Failure) -> Original {
    let (settings, files) = state.withLock { ($0.settings, $0.files) }
    let source = url.scheme == .file ? try files.open(url.filePath()) : nil
    let partialName = Original.partialName(of: photo)
    let target: IncomingFile
    do throws(SystemError) {
      target = IncomingFile(try folder.open(partialName, .ensure))
      try target.truncate(to: 0)
    } catch {
      throw error.machineFailure
    }
    var status = 0
    if let source {
      try await FileCopy(from: source, to: target, maximumSize: settings.maximumSize).run(on: lane)
    } else {
      let request = TransferRequest(
        url: url.text, maximumSize: settings.maximumSize, timeout: settings.timeout,
        connectTimeout: settings.connectTimeout, priority: priority)
      let reply = try await network.fetch(request, into: target)
      try agree(target, with: reply, url)
      status = reply.status
    }
    return Original(
      file: target.file, partialName: partialName, name: Original.name(of: photo),
      contents: try judge(target, url, checksum), host: url.host, status: status)
  }

  /// What was counted by the network must be what came into the file.
  private func agree(_ file: IncomingFile, with reply: TransferReply, _ url: PhotoURL)
    throws(Failure)
  {
    if file.contents?.size == reply.size { return }
    throw Failure(
      .passing, code: "size.short", reason: "\(url.server) sent more than has arrived in the file")
  }

  private func judge(
    _ file: IncomingFile, _ url: PhotoURL, _ checksum: SHA256Digest?
  ) throws(Failure) -> Contents {
    let from = url.scheme == .file ? "the file" : "what \(url.server) sent"
    guard let contents = file.contents, contents.size > 0 else {
      throw Failure(.final, code: "download.empty", reason: "\(from) is empty")
    }
    guard !PageSniffer.isPage(file.head) else {
      throw Failure(
        .final, code: "download.html", reason: "\(from) is a web page, not a photo",
        advice: "The link may need a login, or lead to a page about the photo")
    }
    let digest = file.digest
    if let checksum, digest != checksum { throw Self.differs(digest) }
    return contents
  }

  /// The words fit a row of results, so that the whole digest can be taken from there.
  private static func differs(_ digest: SHA256Digest?) -> Failure {
    Failure(
      .final, code: "download.sha256",
      reason: "its SHA-256 is \(digest?.hex ?? "not known"), not the one in the list",
      advice: "Correct SHA256 in the list if this is the right photo")
  }
}
