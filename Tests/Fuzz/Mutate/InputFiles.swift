// SPDX-License-Identifier: Apache-2.0
// The files of a corpus.

import Glibc

enum InputFiles {
  /// In the order of their names.
  static func paths(in folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { fatalError("cannot read \(folder)") }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append("\(folder)/\(name)") }
    }
    return names.sorted()
  }

  static func bytes(_ path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { fatalError("cannot read \(path)") }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }
}
