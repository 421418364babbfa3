// SPDX-License-Identifier: Apache-2.0
// A worker under the control of a hostile picture can do nothing but answer.

import CAttempts
import Linux
import Support
import Testing
import Vocabulary

@testable import Worker

struct WorkerSandboxTests {
  @Test func `every forbidden call is refused`() async throws {
    let bench = try WorkerBench()
    let report = try await bench.develop("attempts").get()
    let lines = report.split(separator: "\n")
    #expect(lines.count >= 45)
    // EPERM, which the filter gives, and not another error by chance.
    #expect(lines.filter { !$0.hasSuffix(": 1") } == [])
  }

  @Test func `a call through the x32 table of system calls ends the worker`() async throws {
    let bench = try WorkerBench()
    let failure = try await bench.develop("foreign-call").failure
    #expect(failure?.code == "worker.died")
    #if arch(x86_64)
      #expect(failure?.reason == "the worker was killed by its sandbox (signal 31)")
    #endif
  }

  @Test func `a worker holds its socket, its two files and its log, and nothing else`()
    async throws
  {
    let bench = try WorkerBench()
    // Open here and not closed on execution, as a careless library leaves a descriptor.
    let careless = try bench.file()
    #expect(dr_survive_execution(careless.descriptor) == 0)
    #expect(try await bench.develop("descriptors").get() == "0 1 2 3 4 5")
  }

  @Test func `the active layers of the sandbox are reported`() async throws {
    let bench = try WorkerBench(width: 1)
    _ = try await bench.develop("echo")
    guard case .sandbox(let layers) = bench.notices.all.first else {
      Issue.record("nothing was told first about the sandbox: \(bench.notices.all)")
      return
    }
    #expect(layers.isSuperset(of: .required))
  }

  @Test(
    "a worker ends by itself when its daemon has gone",
    arguments: [
      "darkroom-worker", "darkroom-test-worker",
    ])
  func orphan(program: String) throws {
    let options = WorkerOptions(owner: 1, nice: 19, memory: 64 << 20, output: 1)
    let worker = try ChildProcess(path: try WorkerBench.program(program), words: options.words)
    #expect(dr_hang_up(worker.socket.descriptor) == 0)
    _ = try Poll.wait([Poll.Watch(worker.descriptor)], for: Patience.time)
    let status = worker.reap()
    #expect(status == .code(0) || status == .code(74))  // gone before or after it was ready
  }

  @Test func `a worker that is started by hand ends with a usage error`() throws {
    let worker = try ChildProcess(path: try WorkerBench.program("darkroom-worker"), words: ["-h"])
    _ = try Poll.wait([Poll.Watch(worker.descriptor)], for: Patience.time)
    #expect(worker.reap() == .code(64))
  }

  static let inWords: [(SandboxLayers, String)] = [
    (.all, "no privileges, limits, Landlock, seccomp"), ([], "none"), (.seccomp, "seccomp"),
  ]

  @Test("layers in words", arguments: inWords)
  func words(layers: SandboxLayers, words: String) { #expect(layers.description == words) }

  @Test func `the real worker starts, and survives a file that is not a picture`() async throws {
    let bench = try WorkerBench(path: try WorkerBench.program("darkroom-worker"))
    // A file that is not a picture does not kill it, and gives a failure.
    let failure = try await bench.develop("echo").failure
    #expect(failure?.kind == .final)
    #expect(failure?.code.hasPrefix("worker.d") == false)
  }
}
