// SPDX-License-Identifier: Apache-2.0
// The options of one photo. The list's options, then the configuration, supply missing ones.

package import Digests
package import Vocabulary

package struct PhotoOptions: Hashable, Sendable {
  /// Of the original: a download with another checksum never becomes a print.
  package var checksum: SHA256Digest?
  package var filter: FilterFunction?
  package var quality: PrintQuality?
  package var metadata: MetadataRule?
  package var serviceClass: ServiceClass?

  /// The options on which the print depends.
  var asWork: PhotoOptions {
    var options = self
    options.serviceClass = nil
    return options
  }

  package init(
    checksum: SHA256Digest? = nil, filter: FilterFunction? = nil, quality: PrintQuality? = nil,
    metadata: MetadataRule? = nil, serviceClass: ServiceClass? = nil
  ) {
    self.checksum = checksum
    self.filter = filter
    self.quality = quality
    self.metadata = metadata
    self.serviceClass = serviceClass
  }
}
