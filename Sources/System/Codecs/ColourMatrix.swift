// SPDX-License-Identifier: Apache-2.0
// A colour matrix: three channels from three channels, in millionths, which are exact for every filter
// amount.

internal import CCodecs

package struct ColourMatrix: Equatable, Sendable {
  /// The rows for red, green and blue. No factor is negative or above a million, so that the sums of
  /// 8-bit channels stay below 2^31.
  package let millionths: [Int32]

  package init(millionths: [Int32]) {
    precondition(millionths.count == 9 && millionths.allSatisfy { (0...1_000_000).contains($0) })
    self.millionths = millionths
  }

  var inC: dr_matrix {
    let m = millionths
    return dr_matrix(millionths: (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]))
  }

  /// True if its factors fit the fixed-point numbers of the code for planes.
  var suitsPlanes: Bool {
    var inC = self.inC
    return unsafe dr_matrix_suits_planes(&inC) != 0
  }

  /// Variants of the code, from the portable one to the fastest.
  package enum Vectors: Int32, CaseIterable, Sendable { case portable, avx2, avx512 }

  /// For tests: disables faster variants on this thread.
  package static func use(atMost vectors: Vectors) { dr_vectors_limit(vectors.rawValue) }
}
