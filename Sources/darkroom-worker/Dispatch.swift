// SPDX-License-Identifier: Apache-2.0
// From a request to the stage that serves it.

import Vocabulary

func readList(
  _ list: any OpenFile, into catalog: any OpenFile, _ limits: ListLimits
) -> Result<Void, Failure> {
  .failure(unwired("lists"))
}

func develop(
  _ original: any OpenFile, into print: any OpenFile, _ order: DevelopOrder
) -> Result<Developed, Failure> {
  .failure(unwired("pictures"))
}

private func unwired(_ what: String) -> Failure {
  Failure(
    .final, code: "worker.unwired", reason: "this worker was built without a reader of \(what)",
    advice: "install a complete darkroom-worker")
}
