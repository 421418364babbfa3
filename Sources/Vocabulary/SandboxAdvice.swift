// SPDX-License-Identifier: Apache-2.0
// The remedy for a folder that may not be written although its disk is writable: a link leads out of the folders
// that the sandbox of the unit opens. Words; raises nothing.

package enum SandboxAdvice {
  /// - Parameter real: where the link at `path` leads to.
  package static func words(_ path: String, linkedTo real: String) -> String {
    "Instead of the link, mount \(real) at \(path), with a line in /etc/fstab: "
      + "\(real) \(path) none bind 0 0. Or keep the link, and add with systemctl edit darkroom: "
      + "[Service] ReadWritePaths=\(real)"
  }
}
