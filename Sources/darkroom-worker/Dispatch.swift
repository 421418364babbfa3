// SPDX-License-Identifier: Apache-2.0
// Passes a request to the stage that serves it.

import Catalog
import Filter
import Vocabulary

func readList(
  _ list: any OpenFile, into catalog: any OpenFile, _ limits: ListLimits
) -> Result<Void, Failure> {
  do throws(Failure) {
    return .success(try ListReader.read(list: list, catalog: catalog, limits: limits))
  } catch { return .failure(error) }
}

func develop(
  _ original: any OpenFile, into print: any OpenFile, _ order: DevelopOrder
) -> Result<Developed, Failure> {
  let limits = PictureLimits(
    maximumPixels: order.maximumPixels, maximumMemory: order.maximumMemory)
  do throws(Failure) {
    return .success(
      try PictureFilter.develop(
        original: original, print: print, function: order.filter, quality: order.quality.level,
        metadata: order.metadata, limits: limits))
  } catch { return .failure(error) }
}
