// SPDX-License-Identifier: Apache-2.0
// The XML reader when memory runs out: each request of the parser for memory fails in turn.

import CExpat
import Glibc
import Synchronization
import Testing

@testable import Markup

@Suite("Reading XML without memory")
struct MarkupMemoryTests {
  /// Memory for the one parser of this suite: the functions that expat calls can capture nothing.
  private enum Scarce {
    /// How many requests are granted.
    static let left = Mutex(0)

    static var isGranted: Bool {
      left.withLock { left in
        left -= 1
        return left >= 0
      }
    }
  }

  private static func parser() -> XML_Parser? {
    var memory = unsafe XML_Memory_Handling_Suite(
      malloc_fcn: { size in unsafe Scarce.isGranted ? malloc(size) : nil },
      realloc_fcn: { old, size in unsafe Scarce.isGranted ? realloc(old, size) : nil },
      free_fcn: { old in unsafe free(old) })
    return unsafe XML_ParserCreate_MM(nil, &memory, nil)
  }

  /// Many elements of different names, long names and long texts: expat's tables grow.
  private static let document: [UInt8] = {
    let body = (0..<200).map { "<e\($0)>\(String(repeating: "x", count: $0 * 7))</e\($0)>" }
    return Array("<?xml version=\"1.0\"?><a x='\(body.count)'>\(body.joined())</a>".utf8)
  }()

  private static func read() -> MarkupFault? {
    let reader = MarkupReader<Never>(
      open: { (_, _, _) in }, text: { (_, _) in }, close: { (_) in })
    var rest = document[...]
    return unsafe reader.read(with: parser()) {
      let next = rest.prefix(1000)
      rest = rest.dropFirst(next.count)
      return Array(next)
    }
  }

  @Test("whichever request for memory fails, the reader says that memory is out")
  func scarce() {
    var granted = 0
    var places: Set<UInt64> = []
    while true {
      Scarce.left.withLock { $0 = granted }
      guard let error = Self.read() else { break }
      #expect(error.kind == .memory && error.words == "no memory is left to read it")
      places.insert(error.offset)
      granted += 1
      if granted > 10_000 { break }
    }
    #expect(granted > 10 && granted <= 10_000)
    #expect(places.contains(0) && places.count > 3, "also in the middle of the document")
  }
}
