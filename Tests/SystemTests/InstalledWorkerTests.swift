// SPDX-License-Identifier: Apache-2.0
// The installed worker, which reads hostile bytes: it contains all its libraries, but is
// position-independent, with relocation tables that are read-only after the start. Other tests run a debug
// build, which has none of this.

import Foundation
import Testing

@Suite struct InstalledWorkerTests {
  private static let path = ProcessInfo.processInfo.environment["DARKROOM_STAGE"].map {
    "\($0)/usr/libexec/darkroom/darkroom-worker"
  }

  /// Numbers of the System V ABI, in the 64-bit little-endian form of both supported machines.
  private enum Kind {
    static let movable: UInt64 = 3
    static let segment: UInt64 = 1
    static let interpreter: UInt64 = 3
    static let stack: UInt64 = 0x6474_E551
    static let closed: UInt64 = 0x6474_E552
  }
  private enum Right {
    static let execute: UInt64 = 1
    static let write: UInt64 = 2
  }

  @Test(.enabled(if: path != nil, "DARKROOM_STAGE names no folder made by make install DESTDIR="))
  func `the worker is static and position-independent, with read-only relocation tables`()
    throws
  {
    let file = try FileHandle(forReadingFrom: URL(filePath: try #require(Self.path)))
    let bytes = [UInt8](try file.read(upToCount: 4096) ?? Data())
    func number(_ place: Int, _ size: Int) -> UInt64 {
      bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    #expect(bytes.prefix(5) == [0x7F, 0x45, 0x4C, 0x46, 2])
    #expect(number(16, 2) == Kind.movable)
    let (first, size, count) = (Int(number(32, 8)), Int(number(54, 2)), Int(number(56, 2)))
    let headers = (0..<count).map {
      (kind: number(first + $0 * size, 4), rights: number(first + $0 * size + 4, 4))
    }
    #expect(!headers.contains { $0.kind == Kind.interpreter }, "it needs a dynamic linker")
    #expect(headers.contains { $0.kind == Kind.closed })
    #expect(headers.contains { $0.kind == Kind.stack && $0.rights & Right.execute == 0 })
    let loose = headers.filter { header in
      header.kind == Kind.segment && header.rights & Right.write != 0
        && header.rights & Right.execute != 0
    }
    #expect(loose.isEmpty, "writable code")
  }
}
