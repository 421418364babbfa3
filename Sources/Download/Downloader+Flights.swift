// SPDX-License-Identifier: Apache-2.0
// One transfer for each URL: how a photo joins it, how its leader starts it, and how each photo gets its original
// from the landing. Runs in the photo's task on the disk pool. Only cancellations come on any thread, and the end of
// a transfer calls `over`.

import Digests
import Files
import Linux
import Synchronization
import Vocabulary

extension Downloader {
  func fly(
    _ photo: PhotoID, of owner: UInt32, _ url: PhotoURL, _ folder: any Folder,
    _ priority: ServiceClass, _ checksum: SHA256Digest?
  ) async throws(Failure) -> Original {
    var (boarding, known, act) = state.withLock {
      $0.flights.board(photo, of: owner, url, priority)
    }
    perform(act, boarding.flight, url)
    while true {
      let turn = if let known { known } else { await turn(boarding, url) }
      known = nil
      switch turn {
      case .lead: begin(boarding, of: owner, url)
      case .failed(let failure): throw failure
      case .landed(let landing):
        do throws(Failure) {
          try judge(landing)
          try compare(landing.digest, checksum)
        } catch {
          leave(boarding, url, onDisk: true)
          throw landing.reply.server.map { error.at($0) } ?? error
        }
        let name = Original.name(of: photo)
        switch landing.place {
        case .memory(let bytes): return try write(bytes, of: landing, boarding, name, folder)
        case .shelf(let file):
          let isAlone = state.withLock { $0.flights.takeAlone(boarding) }
          return isAlone
            ? try takeAlone(landing, boarding, of: owner, file, name, folder)
            : try link(landing, boarding, file, name, folder)
        case .cache(let file): return try link(landing, boarding, file, name, folder)
        }
      }
    }
  }

  func judge(_ landing: Landing) throws(Failure) {
    try judge(landing.size, landing.head, "the response from \(landing.url.server)")
  }

  private func turn(_ boarding: FlightTable.Boarding, _ url: PhotoURL) async -> FlightTable.Turn {
    await withTaskCancellationHandler {
      await Reply.wait { reply in
        let turn = state.withLock { $0.flights.wait(boarding, reply) }
        if let turn { reply.give(turn) }
      }
    } onCancel: {
      leave(boarding, url, onDisk: false)
    }
  }

  // MARK: answers and acts

  /// `onDisk` says whether the calling thread may wait for the disk; a cancellation's may not.
  private func leave(_ boarding: FlightTable.Boarding, _ url: PhotoURL, onDisk: Bool) {
    let (answers, act) = state.withLock { $0.flights.leave(boarding) }
    give(answers)
    perform(act, boarding.flight, url, onDisk: onDisk)
  }

  private func give(_ answers: FlightTable.Answers) {
    for (waiter, turn) in answers { waiter.give(turn) }
  }

  private func perform(
    _ act: FlightTable.Act, _ flight: FlightTable.URLFlight, _ url: PhotoURL, onDisk: Bool = false
  ) {
    switch act {
    case .nothing: break
    case .cancel(let ticket): network.cancel(ticket)
    case .change(let ticket, let demand): network.change(ticket, to: demand)
    case .close where onDisk: close(flight, url)
    case .close:
      // If the errand is refused, the next start removes the file.
      if !errands.begin({ self.close(flight, url) }) { closed(flight) }
    }
  }

  private func close(_ flight: FlightTable.URLFlight, _ url: PhotoURL) {
    partials.removeName(of: url.text)
    closed(flight)
  }

  private func closed(_ flight: FlightTable.URLFlight) {
    give(state.withLock { $0.flights.closed(flight) })
  }

  func over(
    _ url: PhotoURL, _ attempt: FlightTable.Attempt, _ result: Result<Landing, Failure>,
    onDisk: Bool
  ) {
    let (answers, act) = state.withLock { $0.flights.over(attempt, result) }
    give(answers)
    perform(act, attempt.flight, url, onDisk: onDisk)
  }

  // MARK: the leader

  /// The file for a body, and the part of the body to request.
  private struct Opening {
    let file: PartialFile
    var scope = TransferScope.whole
    var found: OriginalCache.Found?
  }

  private func begin(_ boarding: FlightTable.Boarding, of owner: UInt32, _ url: PhotoURL) {
    let (lead, settings) = state.withLock { ($0.flights.attempt(of: boarding), $0.settings) }
    guard let (attempt, priority) = lead else { return }
    let opening: Opening
    do throws(SystemError) { opening = try open(url, of: owner, settings.maximumSize) } catch {
      return over(url, attempt, .failure(error.machineFailure), onDisk: true)
    }
    let found = opening.found
    let file = IncomingFile(opening.file, on: errands) { [self] place, ending in
      settled(url, attempt, found, place, ending)
    }
    let request = TransferRequest(
      url: url, maximumSize: settings.maximumSize, timeout: settings.timeout,
      connectTimeout: settings.connectTimeout, priority: priority, owner: owner,
      scope: opening.scope)
    let ticket = network.begin(request, into: file) { file.end($0) }
    perform(
      state.withLock { $0.flights.begun(attempt, ticket, priority, of: owner) }, attempt.flight,
      url)
  }

  /// Most URLs have neither file, and the disk is not touched. A partial file is preferred to a cache entry:
  /// it is newer.
  private func open(
    _ url: PhotoURL, of owner: UInt32, _ limit: UInt64
  ) throws(SystemError) -> Opening {
    var file = partials.create(url.text, of: owner)
    if partials.holds(url.text) {
      let (known, entity) = try partials.reopen(url.text, of: owner)
      if let entity { return Opening(file: known, scope: .rest(of: entity, from: known.size)) }
      file = known
    }
    guard let cache, cache.mayHold(url.text, upTo: limit), let found = cache.find(url.text) else {
      return Opening(file: file)
    }
    return Opening(file: file, scope: .change(since: found.entity), found: found)
  }

  // MARK: originals under their names

  private func write(
    _ bytes: [UInt8], of landing: Landing, _ boarding: FlightTable.Boarding, _ name: FileName,
    _ folder: any Folder
  ) throws(Failure) -> Original {
    defer { leave(boarding, landing.url, onDisk: true) }
    let file = try asMachine { () throws(SystemError) in
      let file = try folder.openAnew(name)
      try file.write(bytes, at: 0)
      return file
    }
    return original(landing, file, name)
  }

  /// Links the landed file into the list's folder, or copies it where a link is not possible.
  private func link(
    _ landing: Landing, _ boarding: FlightTable.Boarding, _ file: any OpenFile, _ name: FileName,
    _ folder: any Folder
  ) throws(Failure) -> Original {
    defer { leave(boarding, landing.url, onDisk: true) }
    let url = landing.url.text
    do throws(SystemError) {
      if case .cache = landing.place {
        try cache?.link(url, to: folder, as: name)
      } else {
        try partials.link(url, to: folder, as: name)
      }
      return original(landing, file, name)
    } catch { return try copy(landing, file, name, folder, error) }
  }

  /// Moves the landed file itself; for a sole passenger.
  private func takeAlone(
    _ landing: Landing, _ boarding: FlightTable.Boarding, of owner: UInt32, _ file: any OpenFile,
    _ name: FileName, _ folder: any Folder
  ) throws(Failure) -> Original {
    defer { closed(boarding.flight) }
    do throws(SystemError) {
      try partials.move(landing.url.text, to: folder, as: name)
    } catch {
      guard Self.asksForCopy(error) else {
        partials.keep(landing, file, of: owner)
        throw error.machineFailure
      }
      partials.removeName(of: landing.url.text)
      return try copy(landing, file, name, folder, error)
    }
    return original(landing, file, name)
  }

  /// True when the file cannot have another name, or was just evicted from the cache.
  private static func asksForCopy(_ error: SystemError) -> Bool {
    switch error.name {
    case .notPermitted, .missing, .crossesDevices, .tooManyLinks, .notSupported: true
    default: false
    }
  }

  private func copy(
    _ landing: Landing, _ source: any OpenFile, _ name: FileName, _ folder: any Folder,
    _ error: SystemError
  ) throws(Failure) -> Original {
    guard Self.asksForCopy(error) else { throw error.machineFailure }
    return try asMachine { () throws(SystemError) in
      let file = try folder.openAnew(name)
      try FileCopy.copy(source, to: file, upTo: .max)
      return original(landing, file, name)
    }
  }

  private func original(_ landing: Landing, _ file: any OpenFile, _ name: FileName) -> Original {
    Original(
      file: file, name: name, contents: landing.contents,
      host: landing.url.host, status: landing.reply.status, isEndSure: landing.reply.isEndSure,
      server: landing.reply.server)
  }
}
