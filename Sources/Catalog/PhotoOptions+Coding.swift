// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes a photo's own options as fields of its catalog entry. A reader that ignored an option
// would make the wrong print, so their tags must be understood, except for the class, which changes no print.

internal import Digests
internal import Vocabulary

extension PhotoOptions {
  var fields: [UInt8] {
    var out: [UInt8] = []
    if let serviceClass {
      out.append(field: CatalogFormat.PhotoTag.serviceClass, serviceClass.name.utf8)
    }
    if let checksum { out.append(field: CatalogFormat.PhotoTag.checksum, checksum.bytes) }
    if let filter { out.append(field: CatalogFormat.PhotoTag.filter, filter.description.utf8) }
    if let quality { out.append(field: CatalogFormat.PhotoTag.quality, quality.description.utf8) }
    if let metadata { out.append(field: CatalogFormat.PhotoTag.metadata, metadata.name.utf8) }
    return out
  }

  /// Takes one field; false if it is damaged or unknown.
  mutating func take(_ tag: UInt8, _ bytes: ArraySlice<UInt8>) -> Bool {
    if tag == CatalogFormat.PhotoTag.checksum {
      checksum = SHA256Digest(raw: Array(bytes))
      return checksum != nil
    }
    guard bytes.count <= CatalogFormat.longestWord,
      let text = String(validating: bytes, as: UTF8.self)
    else { return false }
    switch tag {
    case CatalogFormat.PhotoTag.serviceClass:
      serviceClass = ServiceClass(name: text)
      return serviceClass != nil
    case CatalogFormat.PhotoTag.filter:
      filter = try? FilterFunction(parsing: text)
      return filter != nil
    case CatalogFormat.PhotoTag.quality:
      quality = try? PrintQuality(parsing: text)
      return quality != nil
    case CatalogFormat.PhotoTag.metadata:
      metadata = MetadataRule(name: text)
      return metadata != nil
    default: return false
    }
  }
}
