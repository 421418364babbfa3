// SPDX-License-Identifier: Apache-2.0
// The answers of a worker: an accepted one is harmless, and reads the same when it is encoded
// again.

import Vocabulary
import Worker

enum AnswerProof {
  static func run(_ bytes: [UInt8]) {
    guard let answer = WorkerAnswer(decoding: bytes) else { return }
    let encoded = answer.encoded
    must(encoded.count <= WorkerAnswer.maximumSize, "an answer grew")
    switch answer.body {
    case .ready, .listRead: break
    case .developed(let developed):
      must(developed.width > 0 && developed.height > 0 && developed.size > 0, "nothing developed")
    case .failed(let failure):
      must(failure.kind == .final || failure.kind == .machine, "a worker said \(failure.kind)")
      must(failure.waitSeconds == nil, "a worker made us wait")
      for text in [failure.code, failure.reason, failure.advice] {
        must(FailureProof.isPlain(text), "a worker's words are shown raw")
      }
      return
    }
    must(WorkerAnswer(decoding: encoded) == answer, "the same answer, and read otherwise")
  }
}
