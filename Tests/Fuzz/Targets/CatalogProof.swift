// SPDX-License-Identifier: Apache-2.0
// Catalogs, which a hostile worker may have written: the entries are within the limits, and the same
// in any order of reading.

import Catalog
import Support
import Vocabulary

enum CatalogProof {
  static func run(_ bytes: [UInt8]) {
    let file: CatalogFile
    do throws(Failure) { file = try CatalogFile(MemoryFile(bytes), limits: ListProof.limits) } catch
    {
      return FailureProof.check(error, codes: ["catalog."])
    }
    must(file.count >= 1 && file.count <= ListProof.limits.photos, "\(file.count) photos")
    let forwards = (1...file.count).map { entry($0, of: file) }
    let backwards = (1...file.count).reversed().map { entry($0, of: file) }
    must(forwards == backwards.reversed(), "the order of reading matters")
    must(entry(file.count + 1, of: file) == nil && entry(0, of: file) == nil, "a photo too many")
  }

  private static func entry(_ number: UInt32, of file: CatalogFile) -> CatalogEntry? {
    do throws(Failure) {
      let entry = try file.entry(number)
      if entry.problem == nil { ListProof.check(entry) }
      return entry
    } catch {
      FailureProof.check(error, codes: ["catalog."])
      return nil
    }
  }
}
