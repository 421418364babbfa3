// SPDX-License-Identifier: Apache-2.0
// What a list says about one of its photos alone. What it leaves out, the list's own options decide,
// and behind them the configuration.

package import Digests
package import Vocabulary

package struct PhotoOptions: Equatable, Sendable {
  /// Of the original: a download with any other never becomes a print.
  package var checksum: SHA256Digest?
  package var filter: FilterFunction?
  package var quality: PrintQuality?
  package var metadata: MetadataRule?
  package var serviceClass: ServiceClass?

  /// Without what the print does not depend on.
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
