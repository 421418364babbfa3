// SPDX-License-Identifier: Apache-2.0
// Photos that wait for the two connections of their daemon, which others have until the gate `g` of the origin opens.

extension DaemonBench {
  /// Goes on when two photos of the list `summer` wait at the gate.
  package func startWithQueue(_ photos: [(String, String)]) async throws -> RunningProgram {
    try settings(Self.settings + "[Download]\nConnections=2\nConnectionsPerHost=2\n")
    let daemon = try await start()
    try await drop(photos, as: "summer.plist")
    await origin.arrivals(at: "g", 2)
    return daemon
  }

  /// Twelve photos, of which the first nine have to wait.
  package func startWithTwelve() async throws -> RunningProgram {
    let urls = try serveSamples(12)
    return try await startWithQueue(
      urls.enumerated().map { place, url in
        let number = place + 1
        let hold = number <= 2 ? Self.hold(number) : number <= 9 ? "?gate=g" : ""
        return ("Photo \(number)", url + hold)
      })
  }

  /// The query of a photo that gets 100 bytes, and the rest when the gate opens. Another photo can have its place.
  package static func hold(_ number: Int) -> String {
    "?tag=%22v\(number)%22&cut=100&key=\(number)&gate=g&rest=g"
  }
}
