// SPDX-License-Identifier: Apache-2.0
// A file without a name, in memory, with a real descriptor.

internal import CSamples
package import Linux
package import Vocabulary

package enum ScratchFile {
  package static func make(_ bytes: [UInt8] = []) throws -> LinuxFile {
    let number = sample_file()
    guard number >= 0 else { throw SystemError(code: 24, call: "memfd_create", thing: "a sample") }
    let file = LinuxFile(owning: Descriptor(owning: number), thing: "a sample")
    try file.write(bytes, at: 0)
    return file
  }

  package static func bytes(of file: any OpenFile) throws -> [UInt8] {
    try file.read(at: 0, upTo: Int(file.status().size))
  }
}
