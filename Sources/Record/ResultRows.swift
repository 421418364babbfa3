// SPDX-License-Identifier: Apache-2.0
// Reads the rows of STATE/lists/ID/results, and opens the files for the syncer. Raises `Failure`, from `open`
// `SystemError`.
// Concurrency: immutable. Only the syncer writes rows; any thread may read them.

package import Vocabulary

package struct ResultRows: Sendable {
  /// STATE/lists.
  private let lists: any Folder

  package init(lists: any Folder) { self.lists = lists }

  /// Nil for a photo without a row. Raises `results.damaged` for a damaged row.
  package func row(_ photo: PhotoID) throws(Failure) -> ResultRow? {
    guard photo.number > 0 else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) {
      let folder = try lists.folder(FileName(number: photo.list.number), creating: false)
      let file = try folder.open(ListFolder.results, .read)
      bytes = try file.read(at: Self.offset(photo.number), upTo: ResultRow.size)
    } catch {
      if error.isMissing { return nil }
      throw error.machineFailure
    }
    return try Self.row(bytes, photo)
  }

  /// The row, or why it cannot be read.
  package func look(_ photo: PhotoID) -> Result<ResultRow?, Failure> {
    do throws(Failure) { return .success(try row(photo)) } catch { return .failure(error) }
  }

  /// The photo has ended, so it had a row.
  package static func missing(_ photo: PhotoID) -> Failure {
    Failure(
      .final, code: "results.lost", reason: "the result of photo \(photo) is missing",
      advice: advice)
  }

  /// Its sector is bad.
  package static func unread(_ photo: PhotoID, _ failure: Failure) -> Failure {
    Failure(
      .final, code: "results.unread",
      reason: "the result of photo \(photo) cannot be read: \(failure.reason)", advice: advice)
  }

  private static let advice =
    "Put the file results back into the list's folder, from a backup of the state folder"

  /// Reads all rows of a list in order.
  package func reader(_ list: ListID) throws(Failure) -> ResultReader {
    do throws(SystemError) {
      let folder = try lists.folder(FileName(number: list.number), creating: false)
      return ResultReader(list, try folder.open(ListFolder.results, .read))
    } catch {
      if error.isMissing { return ResultReader(list, nil) }
      throw error.machineFailure
    }
  }

  static func row(_ bytes: [UInt8], _ photo: PhotoID) throws(Failure) -> ResultRow? {
    // A row that was never written is a hole in the file and reads as zeros.
    if bytes.allSatisfy({ $0 == 0 }) { return nil }
    guard let row = ResultRow(bytes, for: photo) else {
      throw Failure(
        .final, code: "results.damaged", reason: "the result of photo \(photo) cannot be read",
        advice: advice)
    }
    return row
  }

  /// The results file of a list; creates the file and its folder if missing. Both names count only when `homes`
  /// are synced, even if they exist: the sync after their creation may have failed.
  /// - Parameter isMade: the names of an existing file are durable.
  func open(
    _ list: ListID, isMade: Bool
  ) throws(SystemError) -> (file: any OpenFile, homes: [any Folder]) {
    let folder = try lists.folder(FileName(number: list.number), creating: true)
    if isMade {
      do throws(SystemError) { return (try folder.open(ListFolder.results, .write), []) } catch {
        if !error.isMissing { throw error }
      }
    }
    return (try folder.open(ListFolder.results, .ensure), [folder, lists])
  }

  static func offset(_ photo: UInt32) -> UInt64 { UInt64(photo - 1) * UInt64(ResultRow.size) }
}
