// SPDX-License-Identifier: Apache-2.0
// Writes a catalog from start to end as the photos arrive. Memory: a buffer of 256 KiB and about one byte per
// photo, a few more in `finish`. Does not sync; the daemon does. Raises the file's errors, and an
// input/output error if the file does not give back the photos written. Concurrency model: a value with one
// owner, the reader of the list.

internal import Digests
package import Vocabulary

package struct CatalogWriter {
  private struct Block {
    let offset: UInt64
    var crc: UInt32
  }

  private static let bufferSize = 256 << 10

  private let file: any OpenFile
  private let limits: ListLimits
  private var buffer: [UInt8] = CatalogFormat.head
  /// The file offset of the buffer.
  private var flushed: UInt64 = 0
  private var blocks: [Block] = []
  package private(set) var count: UInt32 = 0
  private var spans: [ClassSpan] = []

  /// The file must be open for reading and writing; its contents are overwritten.
  package init(_ file: any OpenFile, limits: ListLimits) throws(Failure) {
    self.file = file
    self.limits = limits
    do throws(SystemError) {
      if try file.status().size > 0 { try file.truncate(to: 0) }
    } catch { throw error.failure }
  }

  private var position: UInt64 { flushed + UInt64(buffer.count) }

  /// Adds the next photo; numbers begin at 1. Name and URL must be within the limits.
  package mutating func add(_ row: CatalogRow) throws(Failure) {
    let start = buffer.count
    if count % CatalogFormat.blockPhotos == 0 { blocks.append(Block(offset: position, crc: 0)) }
    row.encode(into: &buffer)
    let last = blocks.count - 1
    blocks[last].crc = CRC32C.checksum(buffer[start...], seed: blocks[last].crc)
    count += 1
    if let own = row.options.serviceClass { spans.note(own, at: count) }
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Reads back a photo that was added.
  package mutating func entry(_ number: UInt32) throws(Failure) -> CatalogEntry {
    try flush()
    let block = Int((number - 1) / CatalogFormat.blockPhotos)
    let end = block + 1 < blocks.count ? blocks[block + 1].offset : flushed
    let start = blocks[block].offset
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try file.read(at: start, upTo: Int(end - start))
    } catch { throw error.failure }
    let place = (number - 1) % CatalogFormat.blockPhotos
    guard let entry = CatalogBlock(bytes)?.entry(place, limits) else {
      throw SystemError(.inputOutput, call: "read", thing: "the catalog").failure
    }
    return entry
  }

  /// Writes options, index and footer. The file is not a catalog before this.
  package mutating func finish(_ options: ListOptions) throws(Failure) {
    let optionsOffset = position
    var rest = options.fields + spans.fields
    let indexOffset = optionsOffset + UInt64(rest.count)
    for block in blocks {
      rest.append(fixed: block.offset)
      rest.append(fixed: block.crc)
    }
    rest.append(fixed: optionsOffset)
    rest.append(fixed: indexOffset)
    rest.append(fixed: count)
    rest.append(fixed: CRC32C.checksum(rest))
    rest.append(contentsOf: CatalogFormat.tail)
    buffer.append(contentsOf: rest)
    try flush()
  }

  private mutating func flush() throws(Failure) {
    if buffer.isEmpty { return }
    do throws(SystemError) { try file.write(buffer, at: flushed) } catch { throw error.failure }
    flushed += UInt64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}
