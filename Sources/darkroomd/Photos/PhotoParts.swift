// SPDX-License-Identifier: Apache-2.0
// The parts that work on photos: chains, their stages, downloads, and the watch on free space. Downloads are
// suspended until the first measure. Raises nothing.
// Concurrency: immutable; each part has its own lock.

import Accept
import Chain
import Download
import Linux
import Record
import Vocabulary

struct PhotoParts: Sendable {
  let chains: ChainRunner<PhotoStages>
  let downloader: Downloader
  let space: SpaceWatch

  init(
    _ ground: Ground, network: any Network, workers: any Workers, notes: PhotoNotes
  ) {
    let settings = ground.settings.current
    let (folders, recorder, clock) = (ground.folders, ground.recorder, ground.clock)
    downloader = Downloader(
      network: network, partials: PartialShelf(folders.incoming, clock: clock),
      cache: OriginalCache(folders.cache, clock: clock),
      settings: DownloadSettings(settings.download), files: FileFolders(settings.download))
    space = SpaceWatch(folders, clock: clock, settings: ground.settings)
    let poison = PoisonPictures(
      quarantine: Quarantine(folders.quarantine), recorder: recorder, clock: clock)
    let stages = PhotoStages(
      ground: ground, downloader: downloader, workers: workers, notes: notes, poison: poison,
      space: space)
    let record = PhotoRecord(
      ground: ground, downloader: downloader, notes: notes, poison: poison)
    chains = ChainRunner(
      stages, widths: StageQueues.Widths(settings), record: record, time: clock,
      policy: RetryPolicy(attempts: settings.download.attempts),
      hosts: HostLimits(settings))
    chains.route(by: settings.network.route)
    // Until the free space is measured.
    chains.suspendDownloads(true)
  }

  /// New settings are in force.
  func apply(_ settings: Settings) {
    downloader.change(
      DownloadSettings(settings.download), files: FileFolders(settings.download))
    chains.setWidths(StageQueues.Widths(settings))
    chains.limitHosts(to: HostLimits(settings))
    chains.route(by: settings.network.route)
    space.look()
  }

  /// Suspends downloads while room is short.
  func watchSpace(_ health: HealthBoard, _ recorder: Recorder) async {
    await space.run(
      hasWork: { recorder.ledger { $0.open.lists > 0 } },
      makeRoom: { downloader.cache?.clear() },
      telling: { failure in
        chains.suspendDownloads(failure != nil)
        health.set(failure, for: .downloads)
      })
  }
}

extension StageQueues.Widths {
  /// Output is wide so that the prints of many photos share one sync. Photos that wait for the transfer of
  /// another photo have extra places. Pictures that were dropped themselves wait for no transfer.
  init(_ settings: Settings) {
    self.init(
      download: settings.connections + Admission.mostRiders,
      filter: settings.workerCount, urgent: settings.shares.workers > settings.workerCount ? 1 : 0,
      output: settings.shares.outputs,
      most: settings.shares.photos, isShared: true)
  }
}

extension HostLimits {
  init(_ settings: Settings) {
    let download = settings.download
    // With a single attempt, photos do not wait for a server either.
    self.init(
      most: download.connectionsPerHost, connections: settings.connections,
      patience: download.attempts == 1 ? .zero : download.hostPatience,
      areShared: settings.cluster.ledger != nil)
  }
}

extension DownloadSettings {
  init(_ settings: Settings.Download) {
    self.init(
      maximumSize: settings.maximumSize, timeout: settings.timeout,
      connectTimeout: settings.connectTimeout, cache: settings.cache)
  }
}

extension FileFolders {
  /// Opens a folder when a photo is copied from it: it may be mounted later, or hang.
  init(_ settings: Settings.Download) {
    self.init(paths: settings.fileFolders) { path throws(SystemError) in
      try LinuxFolder.open(path: path)
    }
  }
}
