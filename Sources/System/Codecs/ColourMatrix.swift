// SPDX-License-Identifier: Apache-2.0
// Three colours made of three colours, in millionths: exact for every amount a filter can have.

internal import CCodecs

package struct ColourMatrix: Equatable, Sendable {
  /// Row by row: what red, green and blue are made of. None negative, none above a million, so that
  /// the sums of 8-bit channels stay below 2^31.
  package let millionths: [Int32]

  package init(millionths: [Int32]) {
    precondition(millionths.count == 9 && millionths.allSatisfy { (0...1_000_000).contains($0) })
    self.millionths = millionths
  }

  var inC: dr_matrix {
    let m = millionths
    return dr_matrix(millionths: (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]))
  }

  /// Whether its numbers fit the fixed point of the work on planes.
  var suitsPlanes: Bool {
    var inC = self.inC
    return unsafe dr_matrix_suits_planes(&inC) != 0
  }

  /// Code for processors, from any to the best.
  package enum Vectors: Int32, CaseIterable, Sendable { case portable, avx2, avx512 }

  /// For tests: leaves what is better unused.
  package static func use(atMost vectors: Vectors) { dr_vectors_limit(vectors.rawValue) }
}
