// SPDX-License-Identifier: Apache-2.0
// Runs a target over mutated inputs, in the code of a release:
// darkroom-mutate TARGET SEED FIRST COUNT AT CORPUS-FOLDER... [WORDS.dict]
// AT is a file that always holds the input at work: its number and its length in eight bytes each, then its bytes. When
// an input ends the process, it is there.

import FuzzTargets
import Glibc

let words = CommandLine.arguments
guard words.count > 6, let target = FuzzTarget(rawValue: words[1]), let seed = UInt64(words[2]),
  let first = UInt64(words[3]), let count = UInt64(words[4])
else {
  print("usage: darkroom-mutate TARGET SEED FIRST COUNT AT CORPUS-FOLDER... [WORDS.dict]")
  exit(64)
}
let files = words[6...].flatMap { $0.hasSuffix(".dict") ? [] : InputFiles.paths(in: $0) }
let inputs = MutatedInputs(
  target, seed: seed, corpus: files.map(InputFiles.bytes),
  words: words[6...].filter { $0.hasSuffix(".dict") }.flatMap {
    FuzzWords.read(InputFiles.bytes($0))
  })
let run = MutatedRun(target, inputs, at: InputAtWork(words[5]))
print(run.summary(of: first..<(first + count)))
