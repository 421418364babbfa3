// SPDX-License-Identifier: Apache-2.0
// The answers of darkroomctl --json, as tests read them.

import Foundation

package struct ShownPhoto: Decodable, Sendable {
  package let number: Int
  package let name: String
  package let url: String
  package let state: String
  package let attempts: Int
  package let retry: UInt64
  package let print: String
  package let code: String
  package let reason: String
}

package struct ShownFile: Decodable, Sendable {
  package let name: String
  package let fate: String
  package let list: Int
  package let why: String
}

package struct ShownList: Decodable, Sendable {
  package let id: Int
  package let name: String
  package let title: String
  package let owner: Int
  package let state: String
  package let serviceClass: String
  package let total: Int
  package let new: Int
  package let downloaded: Int
  package let filtered: Int
  package let failed: Int
  /// Filled by `show` alone.
  package var photos: [ShownPhoto] = []

  private enum CodingKeys: String, CodingKey {
    case id, name, title, owner, state, serviceClass, total, new, downloaded, filtered, failed
  }
}

extension DaemonBench {
  private struct Lists: Decodable { let lists: [ShownList] }
  private struct Inbox: Decodable { let files: [ShownFile] }
  private struct Shown: Decodable {
    let list: ShownList
    let photos: [ShownPhoto]
  }

  package func lists() async throws -> [ShownList] {
    try decoded(Lists.self, await tool("--json", "list")).lists
  }

  package func show(_ list: String) async throws -> ShownList {
    let shown = try decoded(Shown.self, await tool("--json", "show", list))
    var list = shown.list
    list.photos = shown.photos
    return list
  }

  package func inbox() async throws -> [ShownFile] {
    try decoded(Inbox.self, await tool("--json", "inbox")).files
  }

  private func decoded<Report: Decodable>(_ type: Report.Type, _ end: ProgramEnd) throws -> Report {
    guard end.code == 0 else { throw ProgramProblem("darkroomctl ended with \(end)") }
    return try JSONDecoder().decode(type, from: Data(end.output.utf8))
  }
}
