// SPDX-License-Identifier: Apache-2.0
// One of the files that a list leaves: written under a name out of sight, durable, and still to be
// given its own name.

internal import Vocabulary

struct ArchivePart {
  enum Kind { case copy, result, retry }

  let kind: Kind
  let folder: any Folder
  let temporary: FileName
  let sum: FileCopy.Sum

  init(_ kind: Kind, _ folder: any Folder, _ temporary: FileName, _ sum: FileCopy.Sum) {
    self.kind = kind
    self.folder = folder
    self.temporary = temporary
    self.sum = sum
  }

  /// Its own name where the copy's is `name`.
  func name(beside name: FileName) -> FileName? {
    switch kind {
    case .copy: name
    case .result: ArchiveName.result(beside: name)
    case .retry: ArchiveName.retry(beside: name)
    }
  }
}
