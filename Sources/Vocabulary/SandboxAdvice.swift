// SPDX-License-Identifier: Apache-2.0
// The remedy for a folder that may not be written although its disk is writable: a link leads out of the folders
// that the sandbox of the unit opens. Words; raises nothing.

package enum SandboxAdvice {
  /// - Parameter real: where the link at `path` leads to.
  package static func words(_ path: String, linkedTo real: String) -> String {
    "Instead of the link, mount it: add the line '\(real) \(path) none bind,nofail 0 0' to /etc/fstab. To "
      + "keep the link: systemctl edit darkroom, and add 'ReadWritePaths=-\(real)' under [Service]"
  }
}
