// SPDX-License-Identifier: Apache-2.0
// Brings a local file in, piece by piece, on a thread that may wait for disks.
// Concurrency model: the copy belongs to the lane it runs on; `isCancelled` alone is shared.

import Synchronization
import Vocabulary

final class FileCopy: Sendable {
  private let source: any OpenFile
  private let target: any OpenFile
  private let maximumSize: UInt64
  private let isCancelled = Mutex(false)

  private static let piece = 262_144

  init(from source: any OpenFile, to target: any OpenFile, maximumSize: UInt64) {
    self.source = source
    self.target = target
    self.maximumSize = maximumSize
  }

  func run(on lane: @escaping Downloader.Lane) async throws(Failure) {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        lane { answer.resume(returning: self.copy()) }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    try result.get()
  }

  private func copy() -> Result<Void, Failure> {
    var offset: UInt64 = 0
    while true {
      if isCancelled.withLock({ $0 }) { return .failure(.cancelled) }
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try source.read(at: offset, upTo: Self.piece)
      } catch { return .failure(FileFolders.unreadable(error)) }
      if bytes.isEmpty { return .success(()) }
      guard offset + UInt64(bytes.count) <= maximumSize else { return .failure(tooBig) }
      do throws(SystemError) {
        try target.write(bytes, at: offset)
      } catch { return .failure(error.machineFailure) }
      offset += UInt64(bytes.count)
    }
  }

  private var tooBig: Failure {
    Failure(
      .final, code: "size.limit", reason: "the file has more than \(maximumSize) bytes",
      advice: "MaximumSize= under [Download] sets the limit")
  }
}
