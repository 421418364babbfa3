// SPDX-License-Identifier: Apache-2.0
// The end of a transfer: its bytes become a landing for the passengers, or are kept for another attempt. A
// landing in memory that needs no disk is delivered on the network's thread; every other one on the disk
// pool.

import Files
import Vocabulary

extension Downloader {
  func settled(
    _ url: PhotoURL, _ attempt: FlightTable.Attempt, _ found: OriginalCache.Found?,
    _ place: IncomingFile.Place, _ ending: IncomingFile.Ending
  ) {
    let result = landing(url, found, place, ending)
    switch place {
    case .disk(let partial): over(url, attempt, keep(result, partial, found), onDisk: true)
    case .memory:
      guard concernsCache(result) else {
        return over(url, attempt, counted(result, found), onDisk: false)
      }
      let isBegun = errands.begin { [self] in
        over(url, attempt, keep(result, nil, found), onDisk: true)
      }
      // If the errand is refused, the landing skips the cache.
      if !isBegun { over(url, attempt, result, onDisk: false) }
    }
  }

  private func landing(
    _ url: PhotoURL, _ found: OriginalCache.Found?, _ place: IncomingFile.Place,
    _ ending: IncomingFile.Ending
  ) -> Result<Landing, Failure> {
    do throws(Failure) {
      let reply = try ending.get()
      if reply.status == 304, let found { return .success(Landing(found, of: url, reply)) }
      let landing =
        switch place {
        case .memory(let bytes): Landing(bytes, from: url, reply)
        case .disk(let partial):
          if let file = partial.file {
            Landing(partial, file, from: url, reply)
          } else {
            Landing([], from: url, reply)
          }
        }
      guard landing.size == reply.size else {
        throw Failure(
          .passing, code: "size.short",
          reason: "not all bytes of the answer reached the file")
      }
      return .success(landing)
    } catch { return .failure(error) }
  }

  private func concernsCache(_ result: Result<Landing, Failure>) -> Bool {
    guard let cache, case .success(let landing) = result else { return false }
    if case .cache = landing.place { return true }
    return cache.takes(landing) && (try? judge(landing)) != nil
  }

  /// Counts a cache miss when the origin sent a new body despite a cache entry.
  private func counted(
    _ result: Result<Landing, Failure>, _ found: OriginalCache.Found?
  ) -> Result<Landing, Failure> {
    if found != nil, case .success = result { cache?.missed() }
    return result
  }

  /// Does all disk work of a landing or a failure.
  private func keep(
    _ result: Result<Landing, Failure>, _ partial: PartialFile?, _ found: OriginalCache.Found?
  ) -> Result<Landing, Failure> {
    do throws(Failure) {
      let landing = try result.get()
      if case .cache = landing.place {
        if let partial { partials.forget(partial) }
        cache?.used(landing.url.text)
        return result
      }
      if let partial, partial.mayHaveNotes {
        try asMachine { () throws(SystemError) in try partials.removeNotes(of: partial.url) }
      }
      if concernsCache(result) { cache?.keep(landing, link(landing)) }
      return counted(result, found)
    } catch {
      if let partial {
        if error.kind == .final { partials.forget(partial) } else { partials.keep(partial) }
      }
      return .failure(error)
    }
  }

  /// Gives the landed body a name in the cache: a link or a copy, or a new file for a body in memory.
  private func link(
    _ landing: Landing
  ) -> (any Folder, FileName) throws(SystemError) -> Void {
    { [partials] (folder, name) throws(SystemError) in
      guard case .memory(let bytes) = landing.place else {
        return try partials.linkOrCopy(landing.url.text, to: folder, as: name)
      }
      try folder.openAnew(name).write(bytes, at: 0)
    }
  }
}
