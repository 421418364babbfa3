// SPDX-License-Identifier: Apache-2.0
// The folder in which tests create theirs: TMPDIR, as for FreshFolder, or /tmp.

internal import Linux

package enum TemporaryPlace {
  package static var path: String {
    let named = Surroundings.variable("TMPDIR") ?? ""
    return named.isEmpty ? "/tmp" : named
  }
}
