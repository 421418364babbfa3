// SPDX-License-Identifier: Apache-2.0
// The functions that libFuzzer calls, which provides the main program. DARKROOM_FUZZ_TARGET names
// the target; with DARKROOM_FUZZ_SEEDS=FOLDER it only writes the seeds of the corpus.

import FuzzTargets
import Glibc

enum FuzzRun {
  static let target: FuzzTarget = {
    let name = unsafe getenv("DARKROOM_FUZZ_TARGET").map { unsafe String(cString: $0) }
    guard let target = name.flatMap({ FuzzTarget(rawValue: $0) }) else {
      let known = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
      print("set DARKROOM_FUZZ_TARGET to one of: \(known)")
      exit(64)
    }
    return target
  }()
}

@_cdecl("LLVMFuzzerInitialize")
func start(
  _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
  if let folder = unsafe getenv("DARKROOM_FUZZ_SEEDS") {
    SeedWriter.write(into: unsafe String(cString: folder))
    exit(0)
  }
  _ = FuzzRun.target
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func tryBytes(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe FuzzRun.target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int

/// Most changes are followed by a correction of checksums, without which the code behind them is
/// never reached.
@_cdecl("LLVMFuzzerCustomMutator")
func changeBytes(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: CUnsignedInt
) -> Int {
  let changed = unsafe mutate(bytes, count, room)
  guard seed % 8 != 0 else { return changed }
  let before = unsafe Array(UnsafeBufferPointer(start: bytes, count: changed))
  let mended = FuzzRun.target.mended(before).prefix(room)
  for (place, byte) in mended.enumerated() { unsafe bytes[place] = byte }
  return mended.count
}
