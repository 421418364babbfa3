// SPDX-License-Identifier: Apache-2.0
// A catalog that the daemon reads in pages. A worker wrote it, so it is not trusted: every offset, size and
// count is checked against the file and the limits before memory is allocated. Raises `catalog.damaged`,
// `catalog.number` and the file's errors.
// Concurrency model: immutable except for the last block read, which a Mutex guards. Reads happen outside the
// lock, so two threads may read the same block.

internal import Digests
internal import Synchronization
package import Vocabulary

package final class CatalogFile: Sendable {
  private struct Page {
    let number: UInt64
    let block: CatalogBlock
  }

  private let file: any OpenFile
  private let limits: ListLimits
  private let footer: CatalogFooter
  private let page = Mutex<Page?>(nil)

  package var count: UInt32 { footer.count }
  package var numbers: Range<UInt32> { 1..<(count + 1) }
  package var options: ListOptions { footer.options }
  /// The photos that set a class.
  package var spans: [ClassSpan] { footer.spans }

  /// The limits must be at least those with which the list was read. Checks everything after the entries; a
  /// block of entries is checked when it is read.
  package init(_ file: any OpenFile, limits: ListLimits) throws(Failure) {
    self.file = file
    self.limits = limits
    let footer: CatalogFooter?
    do throws(SystemError) { footer = try CatalogFooter(file, limits: limits) } catch {
      throw error.machineFailure
    }
    guard let footer else { throw Self.damage("its footer does not match the file") }
    self.footer = footer
  }

  /// The photo with this number, counted from 1 in the order of the list.
  package func entry(_ number: UInt32) throws(Failure) -> CatalogEntry {
    guard number >= 1, number <= count else {
      throw Failure(
        .final, code: "catalog.number",
        reason: "the list has \(count) photos, so it has no photo \(number)")
    }
    let block = try block(UInt64((number - 1) / CatalogFormat.blockPhotos))
    let place = (number - 1) % CatalogFormat.blockPhotos
    guard let entry = block.entry(place, limits) else {
      throw Self.damage("the entry of photo \(number) cannot be read")
    }
    return entry
  }

  /// Reads every block.
  package func check() throws(Failure) {
    for number in 0...UInt64((count - 1) / CatalogFormat.blockPhotos) {
      if Task.isCancelled { throw .cancelled }
      _ = try readBlock(number)
    }
  }

  private func block(_ number: UInt64) throws(Failure) -> CatalogBlock {
    if let kept = page.withLock({ $0?.number == number ? $0?.block : nil }) { return kept }
    let block = try readBlock(number)
    page.withLock { $0 = Page(number: number, block: block) }
    return block
  }

  private func readBlock(_ number: UInt64) throws(Failure) -> CatalogBlock {
    let isLast = number == UInt64((count - 1) / CatalogFormat.blockPhotos)
    let row = try read(footer.indexOffset + number * CatalogFormat.indexRowSize, isLast ? 12 : 24)
    var cursor = CatalogCursor(ArraySlice(row))
    guard let start: UInt64 = cursor.fixed(), let crc: UInt32 = cursor.fixed(),
      let end = isLast ? footer.optionsOffset : cursor.fixed(UInt64.self),
      start >= UInt64(CatalogFormat.head.count), start < end, end <= footer.optionsOffset,
      end - start <= CatalogFormat.longestBlock(limits)
    else { throw Self.damage("row \(number) of its index points outside the entries") }
    let bytes = try read(start, Int(end - start))
    let photos =
      isLast ? (count - 1) % CatalogFormat.blockPhotos + 1 : CatalogFormat.blockPhotos
    guard CRC32C.checksum(bytes) == crc, let block = CatalogBlock(bytes),
      block.count == Int(photos)
    else { throw Self.damage("the block at byte \(start) does not match the index") }
    return block
  }

  private func read(_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try file.read(at: offset, upTo: count) } catch {
      throw error.machineFailure
    }
    guard bytes.count == count else { throw Self.damage("it ends early") }
    return bytes
  }

  private static func damage(_ words: String) -> Failure {
    Failure(.final, code: "catalog.damaged", reason: "the catalog is damaged: \(words)")
  }
}
