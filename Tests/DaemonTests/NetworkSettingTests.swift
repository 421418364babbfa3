// SPDX-License-Identifier: Apache-2.0
// The way out of this machine: a proxy, authorities of one's own, and the name that servers see.

import Foundation
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct NetworkSettingTests {
  private func settings(_ network: String) -> String {
    "[Network]\n\(network)\n\(DaemonBench.settings)"
  }

  @Test func `photos wait for the proxy, and its login stays secret`() async throws {
    try await DaemonBench.use { bench in
      let secret = "gehe:im"
      let place = try FreshFolder()
      let credentials = "\(place.path)/credentials"
      try place.write(Array("barn:\(secret)\n".utf8), to: "credentials/proxy")
      let first = try TestProxy(in: place, login: "barn:\(secret)")
      let (port, proxy) = (first.port, "127.0.0.1:\(first.port)")
      first.stop()
      try bench.settings(
        settings(
          "Proxy=http://\(proxy)\nContact=https://barn.example/robot\n[Hooks]\n"
            + "Webhooks=http://hooks.example:\(bench.origin.port)/hook"))
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root], environment: ["CREDENTIALS_DIRECTORY": credentials])
      try await daemon.says(" is ready: ")
      _ = try bench.serveSamples(3)
      let photos = (1...3).map { number in
        #""\#(number)": "\#(bench.origin.url("/\(number).jpg", host: "photos.example"))""#
      }
      let hook = bench.origin.url("/hook/bytes?size=1", host: "hooks.example")
      let list = #"{"Notify": "\#(hook)", "Photos": {\#(photos.joined(separator: ", "))}}"#
      try await bench.drop(Array(list.utf8), as: "barn.json")
      try await daemon.says("the proxy \(proxy) refused the connection")
      let status = try await bench.tool("status").output
      #expect(status.contains("the proxy \(proxy) refused the connection"), "\(status)")
      try await bench.until("the list waits for the proxy") {
        try await bench.tool("why", "barn").output.contains("the proxy \(proxy) refused")
      }
      let waiting = try await bench.show("barn")
      #expect(waiting.failed == 0 && waiting.photos.allSatisfy { $0.attempts == 0 })
      let second = try TestProxy(in: place, port: port, login: "barn:\(secret)")
      _ = try await bench.tool("flush")
      #expect(try await bench.wait(for: "barn", daemon).code == 0)
      try await daemon.says("Sent the webhook")
      let requests = second.requests()
      #expect(requests.filter { $0.hasPrefix("GET http://photos.example:") }.count == 3)
      #expect(requests.contains { $0.hasPrefix("POST http://hooks.example:") })
      #expect(requests.allSatisfy { $0.hasSuffix(" login=barn:\(secret)") }, "\(requests)")
      let told = daemon.errors.components(separatedBy: "warning: This machine").count - 1
      #expect(told == 1, "\(daemon.errors)")
      let config = try await bench.tool("config", "--json").output
      #expect(config.contains("http://\(proxy)"))
      for text in [daemon.errors, status, config] { #expect(!text.contains(secret)) }
      #expect(await HelperProcess.status(of: ["grep", "-rqa", secret, bench.root]) == 1)
      try await checkMetrics(bench)
      try await bench.stop(daemon)
      second.stop()
    }
  }

  /// `MetricsReaderTests` have Prometheus read the metrics.
  private func checkMetrics(_ bench: DaemonBench) async throws {
    let text = try await bench.tool("metrics").output
    for line in [
      "darkroom_photo_events_total{event=\"filtered\"} 3",
      "darkroom_list_events_total{event=\"finished\"} 1",
      "darkroom_lists{state=\"finished\"} 1", "darkroom_trouble{subject=\"proxy\"} 0",
      "darkroom_webhook_ends_total{result=\"sent\"} 1",
      "darkroom_build_info{version=\"\(Release.version)\"} 1",
    ] { #expect(text.contains("\n\(line)\n"), "\(line) in \(text)") }
    #expect(!text.contains("barn") && !text.contains("example"))
  }

  @Test func `an authority of one's own is trusted after a reload`() async throws {
    let place = try FreshFolder()
    let made = await HelperProcess.status(of: [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "2", "-subj", "/CN=origin", "-addext", "subjectAltName=IP:127.0.0.1",
      "-keyout", "\(place.path)/key", "-out", "\(place.path)/own.pem",
    ])
    guard made == 0 else { try Test.cancel("openssl could not make a certificate here") }
    try await DaemonBench.use { bench in
      let origin = try Origin(
        folder: "\(bench.folder.path)/photos", log: "\(place.path)/log",
        certificate: "\(place.path)/own.pem", key: "\(place.path)/key")
      defer { origin.stop() }
      _ = try bench.serveSamples(1)
      let daemon = try await bench.start()
      try await bench.drop([("Barn", origin.url("/1.jpg", scheme: "https"))], as: "one.plist")
      #expect(try await bench.wait(for: "one", daemon).code == 1)
      try bench.settings(
        settings(
          "CertificateAuthorities=\(place.path)/own.pem\nContact=mailto:anna@barn.example"))
      _ = try await bench.tool("reload")
      try await bench.drop([("Barn", origin.url("/1.jpg", scheme: "https"))], as: "two.plist")
      #expect(try await bench.wait(for: "two", daemon).code == 0)
      try bench.settings(settings("CertificateAuthorities=\(place.path)/key"))
      let refused = try await bench.tool("reload")
      #expect(refused.code != 0)
      #expect(refused.errors.contains("\(place.path)/key: it contains no certificate in PEM"))
      try await bench.stop(daemon)
    }
  }
}

@Suite struct NetworkFilesTests {
  private let certificate = """
    -----BEGIN CERTIFICATE-----
    \(Self.body)
    -----END CERTIFICATE-----

    """
  /// The form of a certificate: a sequence of 300 bytes.
  private static let body = Data([0x30, 0x82, 0x01, 0x2C] + [UInt8](repeating: 7, count: 300))
    .base64EncodedString(options: .lineLength64Characters)

  private func read(_ place: FreshFolder, _ name: String?) throws(Failure)
    -> NetworkFiles
  {
    var settings = Settings.Network()
    settings.certificateAuthorities = name.map { "\(place.path)/\($0)" }
    return try NetworkFiles.read(settings, credentials: "\(place.path)/credentials")
  }

  private func problem(_ place: FreshFolder, _ name: String?) -> String {
    do throws(Failure) {
      _ = try read(place, name)
      return ""
    } catch { return error.reason.replacing("\(place.path)/", with: "") }
  }

  @Test func `a file, a folder and a credential add up`() throws {
    let place = try FreshFolder()
    #expect(try read(place, nil) == NetworkFiles())
    try place.write(Array(certificate.utf8), to: "folder/a.pem")
    try place.write(Array(certificate.utf8), to: "folder/b.crt")
    try place.write(Array("no certificate".utf8), to: "folder/README")
    #expect(CertificateText.count(in: try read(place, "folder/a.pem").authorities) == 1)
    #expect(CertificateText.count(in: try read(place, "folder").authorities) == 2)
    try place.write(Array(certificate.utf8), to: "credentials/authorities")
    try place.write(Array("anna:x:y".utf8), to: "credentials/proxy")
    let files = try read(place, "folder")
    #expect(CertificateText.count(in: files.authorities) == 3 && files.login != nil)
    #expect("\(files)".contains("x:y") == false)
  }

  @Test func `the contact follows the version`() {
    var settings = Settings()
    #expect(settings.userAgent == "darkroom/\(Release.version)")
    settings.network.contact = "mailto:anna@barn.example"
    #expect(settings.userAgent == "darkroom/\(Release.version) (+mailto:anna@barn.example)")
  }

  @Test func `an error names the file, and repeats nothing of a login`() throws {
    let place = try FreshFolder()
    #expect(problem(place, "none") == "none: could not read it: no such file or directory")
    try place.write([], to: "empty/README")
    #expect(problem(place, "empty") == "empty: it has no file that ends in .pem or .crt")
    try place.write(Array(certificate.utf8.dropLast(40)), to: "cut.pem")
    #expect(problem(place, "cut.pem") == "cut.pem: one of its certificates is damaged")
    try place.write(Array(certificate.replacing("MIIB", with: "MIIC").utf8), to: "odd.pem")
    #expect(problem(place, "odd.pem") == "odd.pem: one of its certificates is damaged")
    try place.write(Array("text".utf8), to: "text.pem")
    #expect(problem(place, "text.pem") == "text.pem: it contains no certificate in PEM")
    for login in ["anna", ":secret", "anna:secret\nmore", "anna:se\u{7}cret"] {
      try place.write(Array(login.utf8), to: "credentials/proxy")
      #expect(
        problem(place, nil) == "credentials/proxy: it is not one line with USER:PASSWORD",
        "\(login)")
    }
  }
}
