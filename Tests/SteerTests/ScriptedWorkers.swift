// SPDX-License-Identifier: Apache-2.0
// Workers that write recognisable bytes, and fail on the input "damaged".

import Catalog
import Synchronization
import Vocabulary

struct ScriptedWorkers: Workers {
  func readList(_ list: any OpenFile, of owner: UInt32, catalog: any OpenFile, limits: ListLimits)
    async throws(Failure)
  {
    let bytes = (try? list.read(at: 0, upTo: 100)) ?? []
    if bytes == Array("damaged".utf8) {
      throw Failure(
        .final, code: "list.syntax", reason: "line 2: it is wrong", advice: "Correct it")
    }
    try ListReader.read(list: list, catalog: catalog, limits: limits)
  }

  func develop(
    _ original: any OpenFile, into print: any OpenFile, thumbnail: Thumbnail.Order?,
    _ order: DevelopOrder
  ) async throws(Failure) -> Developed {
    let bytes = (try? original.read(at: 0, upTo: 100)) ?? []
    var words = "\(order.filter) "
    if let level = order.quality.level { words += "quality \(level) " }
    if order.metadata != .keep { words += "metadata \(order.metadata) " }
    let out = Array(words.utf8) + bytes
    try? print.write(out, at: 0)
    if bytes == Array("damaged".utf8) {
      throw Failure(.final, code: "jpeg.truncated", reason: "it ends early")
    }
    return Developed(
      format: .jpeg, width: 4, height: 3, size: UInt64(out.count),
      notices: bytes.starts(with: "camera".utf8) ? [.previewRemoved, .profileDropped] : [])
  }
}

/// Workers that finish no picture before all are begun, and then finish the last one first.
final class BackwardWorkers: Workers {
  private typealias Waiter = CheckedContinuation<Void, Never>

  private let count: Int
  private let waiting = Mutex<[Waiter]>([])

  init(_ count: Int) { self.count = count }

  func readList(_ list: any OpenFile, of owner: UInt32, catalog: any OpenFile, limits: ListLimits)
    async throws(Failure)
  {}

  func develop(
    _ original: any OpenFile, into print: any OpenFile, thumbnail: Thumbnail.Order?,
    _ order: DevelopOrder
  ) async throws(Failure) -> Developed {
    await withCheckedContinuation { (waiter: Waiter) in
      let last = waiting.withLock { waiting -> Waiter? in
        waiting.append(waiter)
        return waiting.count == count ? waiting.removeLast() : nil
      }
      last?.resume()
    }
    let bytes = (try? original.read(at: 0, upTo: 100)) ?? []
    try? print.write(bytes, at: 0)
    waiting.withLock { $0.popLast() }?.resume()
    return Developed(format: .jpeg, width: 4, height: 3, size: UInt64(bytes.count), notices: [])
  }
}
