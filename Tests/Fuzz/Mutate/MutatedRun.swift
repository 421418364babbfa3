// SPDX-License-Identifier: Apache-2.0
// A target over a range of mutated inputs. Ends the process by SIGPROF when an input takes too long, and as a failure
// when the process takes too much memory.

import FuzzTargets
import Glibc

/// The file with the input at work, which outlives the process.
@safe struct InputAtWork {
  private static let size = 1 << 17
  private let place: UnsafeMutableRawPointer

  init(_ path: String) {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0, ftruncate(file, off_t(Self.size)) == 0,
      let place = unsafe mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      unsafe place != MAP_FAILED
    else { fatalError("cannot map \(path)") }
    close(file)
    unsafe self.place = place
  }

  /// The number of the input, its length, and its bytes.
  func hold(_ number: UInt64, _ bytes: [UInt8]) {
    let count = min(bytes.count, Self.size - 16)
    unsafe place.storeBytes(of: number, as: UInt64.self)
    unsafe place.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
    unsafe bytes.withUnsafeBytes {
      unsafe (place + 16).copyMemory(
        from: $0.baseAddress ?? UnsafeRawPointer(place), byteCount: count)
    }
  }
}

struct MutatedRun {
  /// Seconds of processor time in which a stride of inputs is through, or the process ends.
  private static let patience = 300
  private static let stride: UInt64 = 500
  private static let mostMemory = 256 << 10

  private let target: FuzzTarget
  private let inputs: MutatedInputs
  private let atWork: InputAtWork

  init(_ target: FuzzTarget, _ inputs: MutatedInputs, at atWork: InputAtWork) {
    self.target = target
    self.inputs = inputs
    self.atWork = atWork
  }

  func summary(of numbers: Range<UInt64>) -> String {
    var slowest = 0.0
    for number in numbers {
      if (number - numbers.lowerBound) % Self.stride == 0 { check() }
      let input = inputs.input(number)
      atWork.hold(number, input)
      let start = processorTime
      target.run(input)
      slowest = max(slowest, processorTime - start)
    }
    check()
    let milliseconds = Int(slowest * 1000 + 1)
    return
      "\(target.rawValue) inputs=\(numbers.count) slowest=\(milliseconds)ms memory=\(memory >> 10)MiB"
  }

  private func check() {
    var timer = itimerval()
    timer.it_value.tv_sec = Self.patience
    unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    if memory > Self.mostMemory {
      print("\(target.rawValue) takes \(memory) KiB of memory")
      exit(1)
    }
  }

  /// The most that the process had resident, in KiB.
  private var memory: Int {
    var usage = rusage()
    unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_maxrss
  }

  private var processorTime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
