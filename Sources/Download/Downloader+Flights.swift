// SPDX-License-Identifier: Apache-2.0
// One transfer for each URL: how a photo joins it, who asks the network, and how each gets what landed.

import Digests
import Synchronization
import Vocabulary

extension Downloader {
  func fly(
    _ photo: PhotoID, _ url: PhotoURL, _ folder: any Folder, _ priority: ServiceClass,
    _ checksum: SHA256Digest?
  ) async throws(Failure) -> Original {
    var (seat, known, act) = flights.withLock { $0.board(photo, url, priority) }
    perform(act, seat.course, url)
    while true {
      let turn = if let known { known } else { await turn(seat, url) }
      known = nil
      switch turn {
      case .lead: if let late = begin(seat, url) { await begin(late, url) }
      case .failed(let failure): throw failure
      case .landed(let landing):
        do throws(Failure) {
          try judge(landing)
          try compare(landing.digest, checksum)
        } catch {
          leave(seat, url)
          throw error
        }
        let name = Original.name(of: photo)
        switch landing.place {
        // Most are: without another turn of the task.
        case .memory(let bytes): return try write(bytes, of: landing, seat, name, folder)
        case .shelf(let file):
          let isAlone = flights.withLock { $0.takeAlone(seat) }
          return isAlone
            ? try await takeAlone(landing, seat, file, name, folder)
            : try await link(landing, seat, file, name, folder)
        case .cache(let file): return try await link(landing, seat, file, name, folder)
        }
      }
    }
  }

  private func judge(_ landing: Landing) throws(Failure) {
    try judge(landing.size, landing.head, "what \(landing.url.server) sent")
  }

  private func turn(_ seat: FlightTable.Seat, _ url: PhotoURL) async -> FlightTable.Turn {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if let turn = flights.withLock({ $0.wait(seat, waiter) }) { waiter.resume(returning: turn) }
      }
    } onCancel: {
      leave(seat, url)
    }
  }

  private func leave(_ seat: FlightTable.Seat, _ url: PhotoURL) {
    let (tell, act) = flights.withLock { $0.leave(seat) }
    self.tell(tell)
    perform(act, seat.course, url)
  }

  private func tell(_ tidings: FlightTable.Tidings) {
    for (waiter, turn) in tidings { waiter.resume(returning: turn) }
  }

  private func perform(_ act: FlightTable.Act, _ course: FlightTable.Course, _ url: PhotoURL) {
    switch act {
    case .nothing: break
    case .cancel(let ticket): network.cancel(ticket)
    case .change(let ticket, let priority): network.change(ticket, to: priority)
    case .close:
      partials.removeName(of: url.text)
      tell(flights.withLock { $0.closed(course) })
    }
  }

  // MARK: the leader

  private struct Lead {
    let attempt: FlightTable.Attempt
    let priority: ServiceClass
    let settings: DownloadSettings
    let kept: Kept
  }

  /// What there may be of it already.
  private enum Kept { case nothing, partial, cached }

  private struct Opening {
    let file: IncomingFile
    var scope = TransferScope.whole
    var found: OriginalCache.Found?
  }

  /// At once where nothing is kept, as of most; else what has to be looked for on a disk before.
  private func begin(_ seat: FlightTable.Seat, _ url: PhotoURL) -> Lead? {
    guard let (attempt, priority) = flights.withLock({ $0.attempt(of: seat) }) else { return nil }
    let settings = settings
    let lead = Lead(
      attempt: attempt, priority: priority, settings: settings,
      kept: kept(url, settings.maximumSize))
    guard lead.kept == .nothing else { return lead }
    begin(lead, url, Opening(file: partials.create(url.text)))
    return nil
  }

  private func begin(_ lead: Lead, _ url: PhotoURL) async {
    do throws(SystemError) { begin(lead, url, try await open(lead, url)) } catch {
      over(url, lead.attempt, .failure(error.machineFailure))
    }
  }

  private func begin(_ lead: Lead, _ url: PhotoURL, _ opening: Opening) {
    let (attempt, priority, settings) = (lead.attempt, lead.priority, lead.settings)
    let (file, found) = (opening.file, opening.found)
    let request = TransferRequest(
      place: url, maximumSize: settings.maximumSize, timeout: settings.timeout,
      connectTimeout: settings.connectTimeout, priority: priority, scope: opening.scope,
      whenBegun: { file.begin($0, at: $1) })
    let ticket = network.begin(request, into: file) { [self] result in
      over(url, attempt, landing(url, file, found, result))
    }
    perform(flights.withLock { $0.begun(attempt, ticket, priority) }, attempt.course, url)
  }

  private func kept(_ url: PhotoURL, _ limit: UInt64) -> Kept {
    if partials.holds(url.text) { return .partial }
    return cache?.mayHold(url.text, upTo: limit) == true ? .cached : .nothing
  }

  /// What was cut off comes before what the cache has: it is newer.
  private func open(_ lead: Lead, _ url: PhotoURL) async throws(SystemError) -> Opening {
    guard let cache, lead.kept == .cached else { return try await openPartial(lead, url) }
    return await openCached(partials.create(url.text), url, cache)
  }

  private func openPartial(_ lead: Lead, _ url: PhotoURL) async throws(SystemError) -> Opening {
    let (file, entity) = try await reopen(url)
    if let entity { return Opening(file: file, scope: .rest(of: entity, from: file.size)) }
    guard let cache, cache.mayHold(url.text, upTo: lead.settings.maximumSize) else {
      return Opening(file: file)
    }
    return await openCached(file, url, cache)
  }

  private func openCached(
    _ file: IncomingFile, _ url: PhotoURL, _ cache: OriginalCache
  ) async -> Opening {
    guard let found = await look(url, cache) else { return Opening(file: file) }
    return Opening(file: file, scope: .change(since: found.entity), found: found)
  }

  private func look(_ url: PhotoURL, _ cache: OriginalCache) async -> OriginalCache.Found? {
    await withCheckedContinuation { answer in
      lane { answer.resume(returning: cache.find(url.text)) }
    }
  }

  private func reopen(_ url: PhotoURL) async throws(SystemError) -> (IncomingFile, EntityFacts?) {
    let partials = partials
    let result = await withCheckedContinuation { answer in
      lane {
        answer.resume(
          returning: Result { () throws(SystemError) in try partials.reopen(url.text) })
      }
    }
    return try result.get()
  }

  // MARK: the end

  /// On a thread of the network's.
  private func landing(
    _ url: PhotoURL, _ file: IncomingFile, _ found: OriginalCache.Found?,
    _ result: Result<TransferReply, Failure>
  ) -> Result<Landing, Failure> {
    do throws(Failure) {
      let reply = try result.get()
      if reply.status == 304, let found {
        partials.forget(file, of: url.text)
        cache?.used(url.text)
        return .success(
          Landing(
            url: url, place: .cache(found.file), size: found.size, digest: found.digest,
            head: found.head[...], reply: reply))
      }
      guard let arrival = file.arrival, arrival.size == reply.size else {
        throw Failure(
          .passing, code: "size.short",
          reason: "\(url.server) sent more than has arrived in the file")
      }
      if file.mayHaveNotes {
        do throws(SystemError) { try partials.removeNotes(of: url.text) } catch {
          throw error.machineFailure
        }
      }
      let landing = Landing(
        url: url, place: arrival.place, size: arrival.size, digest: arrival.digest,
        head: arrival.head, reply: reply)
      if found != nil { cache?.missed() }
      if let cache, (try? judge(landing)) != nil {
        cache.keep(landing) { [partials] (folder, name) throws(SystemError) in
          guard case .memory(let bytes) = landing.place else {
            return try partials.link(url.text, to: folder, as: name)
          }
          try folder.openAnew(name).write(bytes, at: 0)
        }
      }
      return .success(landing)
    } catch {
      if error.kind == .final {
        partials.forget(file, of: url.text)
      } else {
        partials.keep(file, of: url.text)
      }
      return .failure(error)
    }
  }

  private func over(
    _ url: PhotoURL, _ attempt: FlightTable.Attempt, _ result: Result<Landing, Failure>
  ) {
    let (tell, act) = flights.withLock { $0.over(attempt, result) }
    self.tell(tell)
    perform(act, attempt.course, url)
  }

  // MARK: originals under their names

  private func write(
    _ bytes: [UInt8], of landing: Landing, _ seat: FlightTable.Seat, _ name: FileName,
    _ folder: any Folder
  ) throws(Failure) -> Original {
    defer { leave(seat, landing.url) }
    do throws(SystemError) {
      let file = try folder.openAnew(name)
      try file.write(bytes, at: 0)
      return original(landing, file, name)
    } catch { throw error.machineFailure }
  }

  /// Another name for the same file, or a copy where there is no such thing.
  private func link(
    _ landing: Landing, _ seat: FlightTable.Seat, _ file: any OpenFile, _ name: FileName,
    _ folder: any Folder
  ) async throws(Failure) -> Original {
    defer { leave(seat, landing.url) }
    let url = landing.url.text
    do throws(SystemError) {
      if case .cache = landing.place {
        try cache?.link(url, to: folder, as: name)
      } else {
        try partials.link(url, to: folder, as: name)
      }
      return original(landing, file, name)
    } catch { return try await copy(landing, file, name, folder, error) }
  }

  /// The file itself, for the last who wants it.
  private func takeAlone(
    _ landing: Landing, _ seat: FlightTable.Seat, _ file: any OpenFile, _ name: FileName,
    _ folder: any Folder
  ) async throws(Failure) -> Original {
    defer { tell(flights.withLock { $0.closed(seat.course) }) }
    do throws(SystemError) {
      try partials.move(landing.url.text, to: folder, as: name)
    } catch {
      guard Self.asksForCopy(error) else {
        partials.keep(landing, file)
        throw error.machineFailure
      }
      partials.removeName(of: landing.url.text)
      return try await copy(landing, file, name, folder, error)
    }
    return original(landing, file, name)
  }

  /// It cannot have another name: EPERM, ENOENT (thrown out of the cache just now), EXDEV, EMLINK,
  /// EOPNOTSUPP.
  private static func asksForCopy(_ error: SystemError) -> Bool {
    [1, 2, 18, 31, 95].contains(error.code)
  }

  private func copy(
    _ landing: Landing, _ source: any OpenFile, _ name: FileName, _ folder: any Folder,
    _ error: SystemError
  ) async throws(Failure) -> Original {
    guard Self.asksForCopy(error) else { throw error.machineFailure }
    let file: any OpenFile
    do throws(SystemError) { file = try folder.openAnew(name) } catch {
      throw error.machineFailure
    }
    try await FileCopy(from: source, to: file, maximumSize: .max).run(on: lane)
    return original(landing, file, name)
  }

  private func original(_ landing: Landing, _ file: any OpenFile, _ name: FileName) -> Original {
    Original(
      file: file, name: name, contents: landing.contents,
      host: landing.url.host, status: landing.reply.status, isEndSure: landing.reply.isEndSure)
  }
}
