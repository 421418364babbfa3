// SPDX-License-Identifier: Apache-2.0
// nginx in front of a `darkroom-web`, with the configuration that darkroom-web(8) shows: only its ports and files are
// those of the test. It is one process, which ends with the bench. Concurrency: immutable.

import Foundation
internal import Linux

package final class NginxSite: Sendable {
  package static let name = "photos.example.org"
  package static let (user, password) = ("anna", "safelight")
  private static let program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The reason why there can be none here, or nil.
  package static var obstacle: String? { program == nil ? "nginx is not installed" : nil }

  package let port: Int
  private let certificate: String
  private let folder: String

  private init(port: Int, certificate: String, folder: String) {
    (self.port, self.certificate, self.folder) = (port, certificate, folder)
  }

  /// Its records: the log of errors, and the log of requests that its configuration has unless the manual
  /// page turns it off.
  package var logs: String {
    ["error.log", "access.log"].map { name in
      FileManager.default.contents(atPath: "\(folder)/\(name)")
        .map { String(decoding: $0, as: UTF8.self) } ?? ""
    }.joined()
  }

  // MARK: the manual page

  /// The indented texts of the section about nginx: the server, the commands, the drop-in.
  package static func documented() throws -> [String] {
    let page = Repository.text("man/darkroom-web.8")
    let parts = page.components(separatedBy: "\n.SH BEHIND NGINX\n")
    guard parts.count == 2, let section = parts[1].components(separatedBy: "\n.SH ").first else {
      throw ProgramProblem("the page has no section about nginx")
    }
    return section.components(separatedBy: "\n.nf\n").dropFirst().map { text in
      (text.components(separatedBy: "\n.fi").first ?? "").replacingOccurrences(of: "\\-", with: "-")
    }
  }

  /// The server of the manual page with other places; each stands there once.
  private static func server(_ places: [(String, String)]) throws -> String {
    var text = try documented().first ?? ""
    for (documented, own) in places {
      guard text.components(separatedBy: documented).count == 2 else {
        throw ProgramProblem("'\(documented)' does not stand once in:\n\(text)")
      }
      text = text.replacingOccurrences(of: documented, with: own)
    }
    return text
  }

  // MARK: the process

  package static func start(_ bench: DaemonBench, before web: WebSite) async throws -> NginxSite {
    let folder = "\(bench.folder.path)/nginx"
    try FileManager.default.createDirectory(
      atPath: "\(folder)/temp", withIntermediateDirectories: true)
    let (key, certificate) = ("\(folder)/site.key", "\(folder)/site.pem")
    let made = await HelperProcess.status(of: [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)", "-keyout", key,
      "-out", certificate,
    ])
    let hash = try await RunningProgram.start(["openssl", "passwd", "-apr1", password]).end()
    guard made == 0, hash.code == 0 else { throw ProgramProblem("openssl failed: \(hash)") }
    try bench.folder.write(Array("\(user):\(hash.output)".utf8), to: "nginx/users")
    // Another program may take the free port first.
    for _ in 0..<5 {
      let port = try TCPListener().port
      try bench.folder.write(
        Array(
          server([
            ("listen 443 ssl;", "listen 127.0.0.1:\(port) ssl;"),
            ("/etc/ssl/photos.pem", certificate), ("/etc/ssl/private/photos.key", key),
            ("/etc/nginx/darkroom.users", "\(folder)/users"),
            ("/var/log/nginx/error.log", "\(folder)/error.log"),
            ("http://127.0.0.1:8473", web.base),
          ]).utf8), to: "nginx/darkroom.conf")
      try bench.folder.write(Array(frame(folder).utf8), to: "nginx/nginx.conf")
      let nginx = try await bench.run([
        program ?? "", "-p", folder, "-c", "\(folder)/nginx.conf", "-e", "stderr",
      ])
      _ = try await Patience.sees { !nginx.isRunning || (try? WebVisit(port: port)) != nil }
      if nginx.isRunning {
        return NginxSite(port: port, certificate: certificate, folder: folder)
      }
      guard nginx.errors.contains("Address already in use") else {
        throw ProgramProblem("nginx did not start: \(nginx.errors)")
      }
    }
    throw ProgramProblem("nginx found no port")
  }

  /// The parts of a configuration that every nginx has.
  private static func frame(_ folder: String) -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder)/temp/\($0);" }.joined(separator: " ")
    return """
      daemon off; master_process off; pid \(folder)/pid;
      events {}
      http { access_log \(folder)/access.log; \(temporary) include \(folder)/darkroom.conf; }

      """
  }

  // MARK: requests

  /// A connection whose request has been sent; the lines of the answer can be read.
  package func open(
    _ line: String, _ headers: [String], host: String = NginxSite.name, hasLogin: Bool = true,
    body: String = ""
  ) throws -> HelperProcess {
    let client = try HelperProcess([
      "openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)", "-servername", Self.name,
      "-CAfile", certificate, "-verify_return_error", "-verify_hostname", Self.name,
    ])
    let login = Data("\(Self.user):\(Self.password)".utf8).base64EncodedString()
    let head =
      ["\(line) HTTP/1.1", "Host: \(host)", "Connection: close"]
      + (hasLogin ? ["Authorization: Basic \(login)"] : []) + headers
    client.write(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return client
  }

  package func ask(
    _ line: String, _ headers: [String] = [], host: String = NginxSite.name, hasLogin: Bool = true,
    body: String = ""
  ) async throws -> WebReply {
    let client = try open(line, headers, host: host, hasLogin: hasLogin, body: body)
    return try await onOwnThread {
      var lines: [String] = []
      while let line = client.readLine() { lines.append(line) }
      guard let reply = WebReply(Array(lines.joined(separator: "\n").utf8) + [0x0A]) else {
        throw ProgramProblem("no answer to \(line): \(lines)")
      }
      return reply
    }
  }
}
