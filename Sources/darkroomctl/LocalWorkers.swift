// SPDX-License-Identifier: Apache-2.0
// The workers of `develop` and `check`, which need no daemon, and the reading of the catalogs they write.
// Raises the failures of the pool and the catalog.

internal import Catalog
internal import Linux
internal import Vocabulary
internal import Worker

enum LocalWorkers {
  static func make(width: Int) throws(Failure) -> WorkerPool {
    let settings = WorkerSettings(path: ThisProcess.workerPath, width: width)
    do throws(SystemError) {
      return try WorkerPool.alone(settings)
    } catch { throw error.failure }
  }

  static func open(_ catalog: any OpenFile, _ limits: ListLimits) throws(Failure) -> CheckedList {
    let catalog = try CatalogFile(catalog, limits: limits)
    return CheckedList(
      count: catalog.count, title: catalog.options.title,
      serviceClass: catalog.options.serviceClass, filter: catalog.options.filter,
      quality: catalog.options.quality, metadata: catalog.options.metadata,
      entry: { number throws(Failure) in
        let entry = try catalog.entry(number)
        // In the order in which a download checks them.
        return CheckedList.Entry(
          name: entry.name, url: entry.url,
          failure: entry.failure ?? PhotoURL.refusal(of: entry.url))
      })
  }
}
