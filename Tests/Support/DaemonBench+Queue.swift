// SPDX-License-Identifier: Apache-2.0
// Photos that wait until the gate `g` of the origin opens, or for connections that others have until then.

extension DaemonBench {
  /// Goes on when two photos of the list `summer` wait at the gate.
  package func startWithQueue(_ photos: [(String, String)]) async throws -> RunningProgram {
    try settings(Self.settings + "[Download]\nConnections=2\nConnectionsPerHost=2\n")
    let daemon = try await start()
    try await drop(photos, as: "summer.plist")
    await origin.arrivals(at: "g", 2)
    return daemon
  }

  /// Goes on when one of the two photos of the list `summer` is filtered; the other one waits at the gate.
  package func startHalfway() async throws -> RunningProgram {
    let urls = try serveSamples(2)
    let daemon = try await start()
    try await drop([("One", urls[0]), ("Two", urls[1] + "?gate=g")], as: "summer.plist")
    try await daemon.says("Accepted list 'summer'")
    try await until("one photo is filtered") {
      try await show("summer").photos.map(\.state) == ["filtered", "new"]
    }
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
