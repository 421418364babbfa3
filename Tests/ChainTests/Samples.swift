// SPDX-License-Identifier: Apache-2.0
// Values that the tests of admission and of hosts share.

import Vocabulary

let reset = Failure(.passing, code: "connect.reset", reason: "the connection broke")

func photo(_ list: UInt64, _ number: UInt32) -> PhotoID {
  PhotoID(list: ListID(list), number: number)
}
