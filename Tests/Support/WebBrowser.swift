// SPDX-License-Identifier: Apache-2.0
// A headless Chromium, driven over HTTP by chromedriver, as the W3C's WebDriver describes. Only the fonts of DejaVu are
// there, so that pages look the same on every machine. Both programs end with the test. Concurrency: immutable; a call
// waits in its thread.

import Foundation

package final class WebBrowser: Sendable {
  package typealias Reply = [String: Any]

  private let driver: RunningProgram
  private let place: FreshFolder
  private let port: UInt16
  private let session: String

  /// The reason why there can be none here, or nil.
  package static let obstacle: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for tool in ["chromium", "chromedriver"]
    where !folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    ) {
      return "\(tool) is not installed"
    }
    return nil
  }()

  private init(
    _ driver: RunningProgram, _ place: FreshFolder, _ port: UInt16, _ session: String
  ) {
    (self.driver, self.place, self.port, self.session) = (driver, place, port, session)
  }

  /// - Parameter arguments: more of Chromium's own.
  package static func use(
    arguments: [String] = [], _ body: (WebBrowser) async throws -> Void
  ) async throws {
    // Chromium makes a socket there.
    let place = try FreshFolder.forSockets()
    try place.write(Array(fonts(place.path).utf8), to: "fonts.conf")
    let (driver, port) = try await start(place)
    do {
      let answer = try call(port, "POST /session", capabilities(place.path, arguments))
      guard let session = answer["sessionId"] as? String else {
        throw ProgramProblem("no session: \(answer)")
      }
      let browser = WebBrowser(driver, place, port, session)
      do { try await body(browser) } catch {
        browser.quit()
        throw error
      }
      browser.quit()
    } catch {
      await driver.cut()
      throw error
    }
    await driver.cut()
  }

  /// Ends Chromium, which is not a child of the tests.
  private func quit() { _ = try? Self.call(port, "DELETE /session/\(session)", nil) }

  /// It takes a free port of IPv6, and ends if another program has the port of this number of IPv4.
  private static func start(_ place: FreshFolder) async throws -> (RunningProgram, UInt16) {
    var attempts = 1
    while true {
      let driver = try await drive(place)
      do { return (driver, try await port(of: driver)) } catch {
        await driver.cut()
        guard attempts < 10, driver.output.contains("port not available") else { throw error }
        attempts += 1
      }
    }
  }

  private static func drive(_ place: FreshFolder) async throws -> RunningProgram {
    try await RunningProgram.start(
      ["chromedriver", "--port=0"],
      environment: [
        "FONTCONFIG_FILE": "\(place.path)/fonts.conf", "HOME": place.path, "TMPDIR": place.path,
        "LC_ALL": "C.UTF-8", "TZ": "UTC",
      ])
  }

  private static func port(of driver: RunningProgram) async throws -> UInt16 {
    var port: UInt16?
    let words = "started successfully on port "
    _ = try await Patience.sees {
      let output = driver.output
      guard let range = output.range(of: words) else { return !driver.isRunning }
      port = UInt16(output[range.upperBound...].prefix { $0.isNumber })
      return output[range.upperBound...].contains(".")
    }
    guard let port else { throw ProgramProblem("chromedriver did not start: \(driver.output)") }
    return port
  }

  private static func fonts(_ place: String) -> String {
    """
    <?xml version="1.0"?>
    <!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
    <fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>\(place)/fonts</cachedir>
    <match target="font"><edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit></match></fontconfig>

    """
  }

  private static func capabilities(_ place: String, _ more: [String]) -> Reply {
    let options: Reply = [
      "args": [
        "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        "--force-device-scale-factor=1", "--font-render-hinting=none", "--disable-dev-shm-usage",
        "--force-color-profile=srgb", "--disable-lcd-text", "--lang=en",
        "--user-data-dir=\(place)/profile",
      ] + more
    ]
    let wanted: Reply = [
      "browserName": "chrome", "goog:chromeOptions": options,
      "goog:loggingPrefs": ["browser": "ALL"],
    ]
    return ["capabilities": ["alwaysMatch": wanted]]
  }

  // MARK: commands

  private static func call(
    _ port: UInt16, _ line: String, _ parameters: Reply?
  ) throws -> Reply {
    let body = try parameters.map { Array(try JSONSerialization.data(withJSONObject: $0)) } ?? []
    let answer = try LoopbackHTTP.exchange(
      port: port, ["\(line) HTTP/1.1", "Content-Type: application/json"], body: body)
    let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? Reply
    guard answer.status == 200, let object else {
      throw ProgramProblem("\(line): \(String(decoding: answer.body.prefix(2000), as: UTF8.self))")
    }
    return object["value"] as? Reply ?? ["value": object["value"] as Any]
  }

  /// A command of the session; returns its object, or an object with another value under `value`.
  @discardableResult
  package func command(_ path: String, _ parameters: Reply? = [:]) throws -> Reply {
    let method = parameters == nil ? "GET" : "POST"
    return try Self.call(port, "\(method) /session/\(session)/\(path)", parameters)
  }

  /// A command of Chromium's own protocol.
  @discardableResult
  package func inspect(_ command: String, _ parameters: Reply = [:]) throws -> Reply {
    try self.command("goog/cdp/execute", ["cmd": command, "params": parameters])
  }

  /// Returns when the page is loaded.
  package func open(_ url: String) throws { try command("url", ["url": url]) }

  /// The value of an expression on the page.
  package func value(of expression: String) throws -> Any? {
    try command("execute/sync", ["script": "return \(expression)", "args": []])["value"]
  }

  package func size(_ width: Int, _ height: Int, isPhone: Bool = false) throws {
    try inspect(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isPhone])
  }

  /// `dark` or `light`; `medium` is `screen` or `print`.
  package func prefer(_ scheme: String, medium: String = "screen") throws {
    try inspect(
      "Emulation.setEmulatedMedia",
      [
        "media": medium,
        "features": [
          ["name": "prefers-color-scheme", "value": scheme],
          ["name": "prefers-reduced-motion", "value": "reduce"],
        ],
      ])
  }

  /// Scripts of pages; those of `value` still run.
  package func allowScripts(_ areAllowed: Bool) throws {
    try inspect("Emulation.setScriptExecutionDisabled", ["value": !areAllowed])
  }

  /// The visible part as a PNG.
  package func screenshot() throws -> [UInt8] {
    let reply = try command("screenshot", nil)
    guard let text = reply["value"] as? String, let data = Data(base64Encoded: text) else {
      throw ProgramProblem("there is no screenshot")
    }
    return Array(data)
  }

  /// The complaints of Chromium since the last call: violations of policies, files that are missing.
  package func complaints() throws -> [String] {
    let reply = try command("se/log", ["type": "browser"])
    let entries = reply["value"] as? [Reply] ?? []
    return entries.compactMap { $0["message"] as? String }
  }
}
