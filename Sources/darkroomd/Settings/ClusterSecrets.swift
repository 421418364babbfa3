// SPDX-License-Identifier: Apache-2.0
// What a node reads from files beside the settings: the password of the ledger, and the login of the store. Raises
// `StartFailure`. Waits for a disk.

import Linux
import Transfer
import Vocabulary

extension Settings.Cluster {
  static let needsBlobs = "Ledger= needs Blobs=, a folder that all nodes mount, or a store"
  private static let longestPassword = 4096
  private static let longestLogin = 1025

  func readPassword() throws(StartFailure) -> String? {
    guard let password else { return nil }
    let bytes = try Self.secret(password, of: "LedgerPassword=", upTo: Self.longestPassword)
    let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    if line.isEmpty {
      throw StartFailure(
        ExitCode.configuration,
        "LedgerPassword= names a file whose first line is empty: \(password)")
    }
    return String(decoding: line, as: UTF8.self)
  }

  func readLogin() throws(StartFailure) -> StoreLogin {
    guard let blobCredentials else {
      throw StartFailure(ExitCode.configuration, Self.needsCredentials)
    }
    let bytes = try Self.secret(blobCredentials, of: "BlobCredentials=", upTo: Self.longestLogin)
    guard let login = StoreLogin(bytes) else {
      throw StartFailure(
        ExitCode.configuration, "BlobCredentials= names a file that is not one line with KEY:SECRET"
      )
    }
    return login
  }

  /// The contents of a credential, or of a file.
  private static func secret(
    _ word: String, of setting: StaticString, upTo limit: Int
  ) throws(StartFailure) -> [UInt8] {
    let folder = Surroundings.environment()["CREDENTIALS_DIRECTORY"] ?? ""
    let path = word.hasPrefix("/") ? word : "\(folder)/\(word)"
    do throws(SystemError) {
      return try Surroundings.openNamed(path).read(at: 0, upTo: limit)
    } catch {
      throw StartFailure(ExitCode.configuration, "could not read \(setting): \(error)")
    }
  }
}
