// SPDX-License-Identifier: Apache-2.0
// Letters from tasks to the pool's loop. The loop gives each reply exactly once; letters after its end are
// refused.

import Linux
import Vocabulary

typealias JobAnswer = Result<WorkerFacts, Failure>

enum PoolLetter: Sendable {
  case order(JobNumber, WorkerJob, Reply<JobAnswer>)
  case cancel(JobNumber)
  case foresee(ListLimits, owner: UInt32)
  case started(WorkerNumber, Result<WorkerProcess.Child, SystemError>)
  case resize(Int)
  case end
  case awaitEnd(Reply<Void>)

  func refuse() {
    switch self {
    case .order(_, _, let reply): reply.give(.failure(.cancelled))
    case .awaitEnd(let reply): reply.give()
    case .started(_, .success(let child)): child.process.kill()
    case .cancel, .foresee, .started, .resize, .end: break
    }
  }
}
