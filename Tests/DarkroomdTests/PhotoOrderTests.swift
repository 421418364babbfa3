// SPDX-License-Identifier: Apache-2.0
// The facts about a photo, as its catalog has them.

import Chain
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PhotoOrderTests {
  private func order(_ url: String, name: String = "Barn") async throws -> PhotoOrder {
    var order: PhotoOrder?
    try await DiskBench.use { bench in
      try await bench.add(1, SampleList { $0.photos = [(name, url)] })
      order = try bench.work().order
    }
    return try #require(order)
  }

  private func failure(_ order: PhotoOrder) -> Failure? {
    if case .failure(let failure) = order.url { failure } else { nil }
  }

  @Test func `an order has the name, the URL as written, and the host`() async throws {
    let order = try await order("http://Photos.example.org:8080/a b.jpg?key=1")
    #expect(order.name == "Barn" && order.text == "http://Photos.example.org:8080/a b.jpg?key=1")
    #expect(order.host == "photos.example.org" && order.list.id == ListID(1))
    #expect(try order.url.get().server == "photos.example.org:8080")
  }

  @Test func `a wrong URL is a failure of the photo, not of its list`() async throws {
    let order = try await order("gopher://photos.example.org/a.jpg")
    #expect(failure(order)?.kind == .final && failure(order)?.code.hasPrefix("url.") == true)
    #expect(order.host.isEmpty)
  }

  @Test func `a wrong entry is its own failure, whatever the URL`() async throws {
    let order = try await order("https://photos.example.org/a.jpg", name: "")
    #expect(failure(order)?.code == "list.entry")
    #expect(failure(order)?.reason.hasPrefix("its name is empty") == true)
  }

  @Test func `a file has no host`() async throws {
    let order = try await order("file:///srv/photos/a.jpg")
    #expect(order.host.isEmpty && failure(order) == nil)
  }
}
