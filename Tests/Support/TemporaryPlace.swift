// SPDX-License-Identifier: Apache-2.0
// Where tests make their folders: in the folder of TMPDIR, as FreshFolder does.

internal import Linux

package enum TemporaryPlace {
  package static var path: String {
    let named = Surroundings.variable("TMPDIR") ?? ""
    return named.isEmpty ? "/tmp" : named
  }
}
