// SPDX-License-Identifier: Apache-2.0
// The first stage of a picture that was dropped itself: it is in the list's folder already, and gets a second name
// as the original of its photo, or is copied where the file system has no links. It stays until the list is returned:
// a failed photo can be tried again.

package import Digests
import Files
import Synchronization
package import Vocabulary

extension Downloader {
  /// `pictures` is the list's folder in STATE/lists; nil if it is gone.
  package func take(
    _ photo: PhotoID, from pictures: (any Folder)?, into folder: any Folder,
    checksum: SHA256Digest?
  ) throws(Failure) -> Original {
    let source = ListFolder.picture(photo.number)
    let name = Original.name(of: photo)
    let found = try asMachine { () throws(SystemError) in try pictures?.status(ifThere: source) }
    guard let pictures, let found else { throw Self.gone }
    do throws(Failure) { try weigh(found.size) } catch {
      discard(photo, in: folder)
      throw error
    }
    let (file, sum) = try asMachine { () throws(SystemError) in
      try pictures.linkOrCopy(source, toEmpty: folder, as: name)
      let file = try folder.open(name, .read)
      return (file, try FileCopy.digest(of: file, size: found.size))
    }
    do throws(Failure) {
      // It lay on a disk for a while.
      try compare(sum, checksum)
    } catch {
      discard(photo, in: folder)
      throw error
    }
    return Original(
      file: file, name: name, contents: Contents(size: found.size, hash: sum.prefix), host: "",
      status: 0, isEndSure: true)
  }

  /// Before a byte is read: a sparse picture has any size.
  private func weigh(_ size: UInt64) throws(Failure) {
    let most = state.withLock { $0.settings.maximumSize }
    guard size <= most else { throw Self.tooLarge("the picture", limit: most) }
    try judge(size, [], "the picture")
  }

  static func tooLarge(_ thing: String, limit: UInt64) -> Failure {
    Failure(
      .final, code: "size.limit", reason: "\(thing) has more than \(limit) bytes",
      advice: "MaximumSize= under [Download] sets the limit")
  }

  private static let gone = Failure(
    .final, code: "picture.gone", reason: "the dropped picture is not in the state folder",
    advice: "Drop it again")
}
