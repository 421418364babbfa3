// SPDX-License-Identifier: Apache-2.0
// A photo of a list on a bench, as a chain hands it to the stages.

import Catalog
import Chain
import Support
import Vocabulary

@testable import darkroomd

extension ListBench {
  func work(
    _ number: UInt32 = 1, of list: ListID = ListID(1), state: PhotoState = .new,
    attempt: UInt32 = 1
  ) throws -> PhotoWork<PhotoOrder> {
    let open = try lists.look(list)
    return PhotoWork(
      photo: PhotoID(list: list, number: number),
      order: PhotoOrder(try open.catalog.entry(number), of: open), state: state,
      serviceClass: .default, attempt: attempt, admitted: clock.uptime())
  }
}

extension Failure {
  static let reset = Failure(.passing, code: "connect.reset", reason: "the connection broke")
  static let missing = Failure(
    .final, code: "http.404", reason: "the server answered 404 Not Found")
  static let died = Failure(
    .passing, code: "worker.died", reason: "the worker ended with signal 11")
}
