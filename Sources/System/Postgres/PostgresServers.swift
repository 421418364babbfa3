// SPDX-License-Identifier: Apache-2.0
// The servers that a connection string names. libpq would also try the servers one after another, but it would spend
// all of the time on the first server if the machine of that server does not answer. Raises `PostgresError`.
// Concurrency: none.

internal import CPostgres
internal import Vocabulary

package struct PostgresServers: Sendable {
  package struct Server: Sendable {
    /// For messages.
    package let name: String
    /// The settings that select only this server.
    package let settings: [(String, String)]
    /// The settings that say how the server has to prove its identity.
    package let trust: [(String, String)]
  }

  /// At least one. A string that cannot be divided is one server, so that libpq says what is wrong with it.
  package let all: [Server]

  /// - Parameter hasPassword: a session has a password that is not in the string.
  package init(in text: String, hasPassword: Bool = false) throws(PostgresError) {
    guard dr_pg_load() == 0 else { throw .noLibrary }
    let trust = Self.trust(text, hasPassword: hasPassword)
    let (hosts, addresses, ports) = (
      Self.values("host", in: text), Self.values("hostaddr", in: text),
      Self.values("port", in: text).map { $0.isEmpty ? "5432" : $0 }
    )
    let count = max(hosts.count, addresses.count)
    let fits = [hosts, addresses].allSatisfy { $0.isEmpty || $0.count == count }
    guard count > 1, fits, ports.count < 2 || ports.count == count,
      !(hosts + addresses).contains("")
    else {
      // libpq connects to an address, and compares the certificate with the host.
      all = [
        Server(
          name: "the server", settings: [],
          trust: trust.settings(for: addresses.isEmpty ? hosts : addresses))
      ]
      return
    }
    all = (0..<count).map { place in
      let port = ports.count == 1 ? ports[0] : ports.isEmpty ? "" : ports[place]
      let settings = [
        ("host", hosts.isEmpty ? "" : hosts[place]),
        ("hostaddr", addresses.isEmpty ? "" : addresses[place]), ("port", port),
      ]
      return Server(
        name: (hosts.isEmpty ? addresses[place] : hosts[place]) + (port.isEmpty ? "" : ":\(port)"),
        settings: settings.filter { !$0.1.isEmpty },
        trust: trust.settings(for: [addresses.isEmpty ? hosts[place] : addresses[place]]))
    }
  }

  private static func trust(_ text: String, hasPassword: Bool) -> PostgresTrust {
    let given = PostgresTrust.options.compactMap { option in
      value(option, in: text).map { (option, $0) }
    }
    return PostgresTrust(
      Dictionary(given, uniquingKeysWith: { $1 }), hasPassword: hasPassword)
  }

  private static let longest = 4096

  /// The fault that libpq finds in the string, such as an option that it does not know. Nil if there is none, or this
  /// machine has no libpq.
  package static func problem(in text: String) -> String? {
    // Other text is the name of a database.
    guard text.contains("=") || text.contains("://"), dr_pg_load() == 0 else { return nil }
    var words = [CChar](repeating: 0, count: 256)
    guard unsafe dr_pg_problem(text, &words, UInt64(words.count)) == 1 else { return nil }
    let bytes = words.prefix { $0 != 0 && $0 != 0x0A }.map { UInt8(bitPattern: $0) }
    return Printable.text(bytes)
  }

  /// Nil if the string does not give the option.
  private static func value(_ option: String, in text: String) -> String? {
    var value = [CChar](repeating: 0, count: longest)
    guard unsafe dr_pg_option(text, option, &value, UInt64(longest)) == 1 else { return nil }
    let bytes = value.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The parts of the option's value.
  private static func values(_ option: String, in text: String) -> [String] {
    value(option, in: text)?.split(separator: ",", omittingEmptySubsequences: false)
      .map(String.init) ?? []
  }
}
