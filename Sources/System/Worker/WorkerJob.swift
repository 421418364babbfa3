// SPDX-License-Identifier: Apache-2.0
// One request on its way through the pool, with its files: they stay open as long as their descriptors may
// still be sent.

import Vocabulary

struct WorkerJob: Sendable {
  let body: WorkerRequest.Body
  /// The user whose list or picture it is.
  let owner: UInt32
  let input: any OpenFile
  let output: any OpenFile
  var thumbnail: (any OpenFile)?

  /// In the order in which a request carries them.
  var descriptors: [Int32] {
    [input.descriptor, output.descriptor] + (thumbnail.map { [$0.descriptor] } ?? [])
  }

  /// The properties on which the pool decides.
  func order(_ settings: WorkerSettings) -> PoolOrder {
    switch body {
    case .readList(let limits): return Self.order(limits, of: owner, settings)
    case .develop(let order, _):
      let memory = order.maximumMemory.addingWithoutOverflow(settings.baseMemory)
      return PoolOrder(
        options: WorkerOptions(
          owner: owner, nice: order.serviceClass.nice, memory: memory,
          output: Self.printLimit(order)),
        serviceClass: order.serviceClass, timeout: order.timeout)
    }
  }

  /// A list goes before pictures: the person who dropped it waits for its acceptance.
  static func order(
    _ limits: ListLimits, of owner: UInt32, _ settings: WorkerSettings
  ) -> PoolOrder {
    let memory = limits.size.addingWithoutOverflow(settings.listMemory)
    let output = limits.size.addingWithoutOverflow(UInt64(limits.photos) * 128)
    return PoolOrder(
      options: WorkerOptions(
        owner: owner, readsLists: true, nice: 0, memory: memory, output: output),
      serviceClass: .userInteractive, timeout: settings.listTimeout)
  }

  /// Four channels of two bytes if nothing compresses, and room for metadata.
  private static func printLimit(_ order: DevelopOrder) -> UInt64 {
    let (bytes, overflow) = order.maximumPixels.multipliedReportingOverflow(by: 9)
    return overflow ? .max : bytes.addingWithoutOverflow(64 << 20)
  }

  /// The result, if the answer agrees with the facts that the daemon can check; nil if it does not. Facts that
  /// the daemon cannot read are trouble of this machine.
  func judge(_ body: WorkerAnswer.Body) -> Result<WorkerFacts, Failure>? {
    switch (self.body, body) {
    case (_, .failed(let failure)): return .failure(failure)
    case (.readList, .listRead): return .success(.listRead)
    case (.develop(let order, let height), .developed(let developed)):
      let (pixels, overflow) = UInt64(developed.width)
        .multipliedReportingOverflow(by: UInt64(developed.height))
      guard !overflow, pixels <= order.maximumPixels else { return nil }
      do throws(Failure) {
        let size = try asMachine { () throws(SystemError) in try output.status().size }
        guard size == developed.size else { return nil }
        return .success(.developed(checked(developed, height)))
      } catch { return .failure(error) }
    default: return nil
    }
  }

  /// Without its thumbnail, unless that is as small as it was ordered and its file is not too long.
  private func checked(_ developed: Developed, _ height: UInt16) -> Developed {
    guard let made = developed.thumbnail else { return developed }
    if made.height > 0, made.height <= height, made.width <= height * Thumbnail.widest,
      let size = try? thumbnail?.status().size, 1...Thumbnail.longest ~= size
    {
      return developed
    }
    return Developed(
      format: developed.format, width: developed.width, height: developed.height,
      size: developed.size, notices: developed.notices)
  }
}

/// The result of a request.
enum WorkerFacts: Equatable, Sendable {
  case listRead
  case developed(Developed)
}

extension UInt64 {
  func addingWithoutOverflow(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
