// SPDX-License-Identifier: Apache-2.0
// A pool of test workers and a folder for each test. The text of the original commands the worker. The
// folder is removed with the bench.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary
import Worker

final class WorkerBench: Sendable {
  let pool: WorkerPool
  let notices: Notices
  private let parent: LinuxFolder
  private let name: FileName
  private let folder: LinuxFolder
  private let lastFile = Mutex(UInt64(0))

  final class Notices: Sendable {
    private let heard = Mutex<[WorkerNotice]>([])
    func add(_ notice: WorkerNotice) { heard.withLock { $0.append(notice) } }
    var all: [WorkerNotice] { heard.withLock { $0 } }
  }

  init(
    width: Int = 2, path: String? = nil, _ change: (inout WorkerSettings) -> Void = { _ in }
  ) throws {
    let random = try ThisProcess.randomBytes(8).map { String($0, radix: 16) }.joined()
    parent = try LinuxFolder.open(path: TemporaryPlace.path)
    name = try #require(FileName("darkroom-worker-\(random)"))
    folder = try parent.openFolder(name, creating: true)
    var settings = WorkerSettings(
      path: try path ?? Self.program("darkroom-test-worker"), width: width)
    change(&settings)
    let notices = Notices()
    self.notices = notices
    pool = try WorkerPool.alone(settings) { notices.add($0) }
  }

  deinit {
    for file in (try? folder.names()) ?? [] { try? folder.remove(file) }
    try? parent.removeFolder(name)
  }

  /// The path of a program, which lies beside the one that runs these tests.
  static func program(_ name: String) throws -> String {
    let parts = try ThisProcess.ownPath().split(separator: "/").dropLast()
    return "/" + (parts + [Substring(name)]).joined(separator: "/")
  }

  var path: String { folder.path }

  func file(_ text: String = "") throws -> any OpenFile {
    let number = lastFile.withLock { last in
      last += 1
      return last
    }
    let file = try folder.open(FileName(number: number), .create)
    try file.write(Array(text.utf8), at: 0)
    return file
  }

  static func order(
    owner: UInt32 = 1, _ serviceClass: ServiceClass = .default, pixels: UInt64 = 1000,
    timeout: Duration = Patience.time
  ) -> DevelopOrder {
    DevelopOrder(
      owner: owner, serviceClass: serviceClass, filter: .sepia(thousandths: 437),
      maximumPixels: pixels, maximumMemory: 16 << 20, timeout: timeout)
  }

  /// The text that the worker wrote, or its failure.
  func develop(
    _ command: String, _ order: DevelopOrder = order()
  ) async throws -> Result<String, Failure> {
    let (original, print) = (try file(command), try file())
    do throws(Failure) {
      let developed = try await pool.develop(original, into: print, order)
      #expect(developed == Developed(format: .jpeg, width: 2, height: 3, size: developed.size))
    } catch { return .failure(error) }
    return .success(String(decoding: try print.read(at: 0, upTo: 65536), as: UTF8.self))
  }
}
