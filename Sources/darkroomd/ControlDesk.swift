// SPDX-License-Identifier: Apache-2.0
// Answers what people ask over the control socket: who may, what is so, what is to change. A change is
// recorded before it is answered.
// Concurrency: immutable; everything it holds has its own locks.

import Accept
import Chain
import Record
import Report
import Steer
import Vocabulary

final class ControlDesk: ControlService {
  let darkroom: Darkroom

  init(_ darkroom: Darkroom) { self.darkroom = darkroom }

  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply {
    do throws(ControlError) {
      switch call {
      case .status: return .status(darkroom.statusReport())
      case .lists: return .lists(darkroom.summaries())
      case .inbox: return .inbox(await darkroom.inboxReport())
      case .show(let order): return .show(try darkroom.show(order))
      case .pause(let list): return try await change(list, .pause, peer)
      case .resume(let list): return try await change(list, .resume, peer)
      case .cancel(let list): return try await change(list, .cancel, peer)
      case .reload: return try reload(peer)
      case .watch(let order): return .watch(try darkroom.watchReport(order))
      case .cache(let clear): return try cache(clear, peer)
      case .flush(let host): return try flush(host, peer)
      }
    } catch { return .failed(error) }
  }

  /// Tells of the list whenever it changes, until it is over.
  func stream(
    _ call: ControlCall, from peer: ControlPeer,
    send: @escaping @Sendable (ControlReply) async -> Bool
  ) async -> ControlReply {
    if case .watch(let order) = call { return await watch(order, send) }
    guard case .show(let order) = call else { return await handle(call, from: peer) }
    do throws(ControlError) {
      try await arrival(of: order.list)
      while true {
        let version = darkroom.news.version
        let report = try darkroom.show(order)
        if report.list.isFinal || darkroom.isStopping { return .show(report) }
        guard await send(.show(report)) else { return .show(report) }
        await darkroom.news.change(after: version)
        // A fast list would otherwise be told of for every photo.
        await darkroom.rest(.milliseconds(200))
        if Task.isCancelled { return .show(report) }
      }
    } catch { return .failed(error) }
  }

  /// What moves is told of every second, what rests when something has changed.
  private func watch(
    _ order: WatchOrder, _ send: @escaping @Sendable (ControlReply) async -> Bool
  ) async -> ControlReply {
    do throws(ControlError) {
      if let list = order.list { try await arrival(of: list) }
      while true {
        let version = darkroom.news.version
        let isAtWork = darkroom.isAtWork
        let report = try darkroom.watchReport(order)
        let isOver = order.list != nil && report.lists.allSatisfy(\.isFinal)
        if isOver || darkroom.isStopping { return .watch(report) }
        guard await send(.watch(report)) else { return .watch(report) }
        if !isAtWork { await darkroom.news.change(after: version) }
        await darkroom.rest(isAtWork ? .seconds(1) : .milliseconds(200))
        if Task.isCancelled { return .watch(report) }
      }
    } catch { return .failed(error) }
  }

  private func cache(_ clear: Bool, _ peer: ControlPeer) throws(ControlError) -> ControlReply {
    if clear {
      guard peer.mayReload(daemonOf: darkroom.user) else {
        throw .permissionDenied(why: "only root and the daemon's own user may empty the cache")
      }
      darkroom.clearCache()
    }
    return .cache(darkroom.cacheReport())
  }

  /// One server asked once more costs one photo an attempt at most; all of them cost everybody's photos
  /// one.
  private func flush(_ host: String?, _ peer: ControlPeer) throws(ControlError) -> ControlReply {
    let mayAll = peer.mayReload(daemonOf: darkroom.user)
    if !mayAll {
      let owners = "only root and the daemon's own user"
      guard let host else {
        throw .permissionDenied(why: "\(owners) may ask all hosts at once; name one")
      }
      if darkroom.runner.closedHost(host)?.isWish == true {
        throw .permissionDenied(
          why: "the host asked to be left alone; \(owners) may have it asked sooner")
      }
    }
    return .flushed(hosts: darkroom.runner.flush(host, wishes: mayAll))
  }

  /// A list that was just dropped is waited for while its file is in the inbox and may still become one:
  /// it is meant, not an older one of its name.
  private func arrival(of list: ListReference) async throws(ControlError) {
    if let number = list.number, darkroom.isKnown(ListID(number)) { return }
    var pause = Duration.milliseconds(50)
    while !Task.isCancelled, !darkroom.isStopping {
      let sweep = await darkroom.inbox.sweepNow()
      let file = sweep.waiting.first {
        list.means(file: String(decoding: $0.name.bytes, as: UTF8.self))
      }
      if let file {
        if file.isRejected { break }
        if file.isUnreadable { throw .notPossible(why: "'\(file.name)' waits: \(file.waitsFor)") }
      } else if sweep.waitingCount <= sweep.waiting.count {
        break  // else it may be one of those that are not told of
      }
      await darkroom.rest(pause)
      pause = min(pause * 2, .seconds(1))
    }
    var newest: UInt64 = 0
    var missing: ControlError?
    do throws(ControlError) { newest = try list.choose(among: darkroom.names()) } catch {
      guard case .noSuchList = error else { throw error }
      missing = error
    }
    if let why = darkroom.frontDesk.departures.rejection(of: list, after: newest) {
      throw .listRejected(name: list.text, why: why)
    }
    if let missing { throw missing }
  }

  private enum Verb { case pause, resume, cancel }

  private func change(_ reference: ListReference, _ verb: Verb, _ peer: ControlPeer)
    async throws(ControlError) -> ControlReply
  {
    let list = ListID(try reference.choose(among: darkroom.names()))
    let summary = try darkroom.summary(list)
    guard peer.mayChange(listOf: summary.owner) else {
      throw .permissionDenied(
        why: "list '\(summary.name)' belongs to another user; only its owner and root change it")
    }
    do throws(Failure) {
      switch verb {
      case .pause: try await darkroom.pause(list)
      case .resume: try await darkroom.resume(list)
      case .cancel: try await darkroom.cancel(list)
      }
    } catch { throw .notPossible(why: error.reason) }
    return .changed(try darkroom.summary(list))
  }

  private func reload(_ peer: ControlPeer) throws(ControlError) -> ControlReply {
    guard peer.mayReload(daemonOf: darkroom.user) else {
      throw .permissionDenied(why: "only root and the daemon's own user may reload it")
    }
    let notes: [String]?
    do throws(ConfigurationError) { notes = try darkroom.reload() } catch {
      throw .reloadFailed(why: error.description)
    }
    guard let notes else { throw .notPossible(why: "the daemon is stopping") }
    return .reloaded(notes: notes)
  }
}
