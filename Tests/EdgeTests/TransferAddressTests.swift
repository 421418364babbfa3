// SPDX-License-Identifier: Apache-2.0
// Addresses are judged when they are dialled: in any notation, by name, or after a redirect.

import Foundation
import Linux
import Support
import Testing
import Transfer
import Vocabulary

struct TransferAddressTests {
  @Test(
    "This machine and its neighbours are refused by default, however they are written",
    arguments: [
      "127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "127.1", "localhost", "[::1]", "[::]",
      "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "169.254.169.254",
      "100.64.0.1", "10.0.0.1", "192.168.0.1", "172.16.0.1", "224.0.0.1", "[fd00::1]", "[fe80::1]",
    ])
  func refusedByDefault(_ host: String) async throws {
    let loop = try TransferLoop(TransferSettings())
    let failure = await #expect(throws: Failure.self) {
      try await loop.fetch(
        TransferRequest(
          url: "http://\(host):1/?token=secret", maximumSize: 10, timeout: .seconds(60),
          connectTimeout: .seconds(60), priority: .default), into: FullFile(code: 28))
    }
    await loop.stop()
    #expect(failure?.code == "address.refused", "\(failure?.description ?? "")")
    #expect(failure?.kind == .final)
    #expect(failure?.advice.contains("AllowNetworks=") == true)
    #expect(failure?.reason.contains("secret") == false)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("192.0.2.1", false), ("8.8.8.8", false), ("2001:db8::1", false),
    ("2600::1", false),
  ])
  func `the kernel tells which addresses are of this machine`(text: String, isOwn: Bool) throws {
    #expect(DialSocket.isOwn(try #require(NetworkAddress(text))) == isOwn)
  }

  @Test(
    arguments: [
      ("", []),
      ("00000000000000000000000000000001 01 80 10 80       lo\n", []),
      ("fd000000000000000000000000000009 01 80 00 80       lo\n", ["lo"]),
      ("fe8000000000000000fc00fffe000001 04 40 20 80     eth0\n", []),
      ("febf0000000000000000000000000001 04 40 20 80     eth0\n", []),
      (
        """
        fe8000000000000000fc00fffe000001 04 40 20 80     eth0
        fd000000000000000000000000000002 04 40 00 82     eth0
        20010db8000000000000000000000002 0a 40 00 80 enp3s0f0
        """, ["eth0", "enp3s0f0"]
      ),
      ("fd000000000000000000000000000002 04 40 00 82\n", nil), ("fd00 04 40 00 82 eth0\n", nil),
      ("zz000000000000000000000000000002 04 40 00 82 eth0\n", nil),
    ] as [(String, Set<String>?)])
  func `An address of IPv6 that is not link-local leads beyond the link`(
    rows: String, names: Set<String>?
  ) {
    #expect(DialSocket.wideInterfaces(rows) == names)
  }

  /// The kernel's files are a second opinion. NetworkFaultTests have a machine without a network.
  @Test func `A connected interface with a route is a network`() {
    func text(_ path: String) -> String {
      (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
    let folder = "/sys/class/net"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // Without a loopback, these are not the interfaces of this process.
    guard names.contains("lo") else { return }
    let connected = names.filter { name in
      let state = text("\(folder)/\(name)/operstate").trimmingCharacters(
        in: .whitespacesAndNewlines)
      let flags = text("\(folder)/\(name)/flags").trimmingCharacters(in: .whitespacesAndNewlines)
      let bits = Int(flags.dropFirst(2), radix: 16) ?? 0
      return bits & 1 == 1 && bits & 8 == 0 && ["up", "unknown"].contains(state)
    }
    let routed = text("/proc/self/net/route").split(separator: "\n").compactMap {
      $0.split(separator: "\t").first.map(String.init)
    }
    if connected.contains(where: { routed.contains($0) }) { #expect(DialSocket.hasNetwork) }
  }

  @Test func `The setting that the refusal names allows the address`() async throws {
    let bench = try TransferBench(TransferSettings())
    let url = bench.origin.url("/barn.jpg")
    let failure = await bench.failure(url)
    #expect(failure?.code == "address.refused")
    #expect(bench.origin.requests().isEmpty)
    let range = try #require(
      failure?.advice.split(separator: "=").last?.split(separator: " ").first)
    var settings = TransferSettings()
    settings.rules = try AddressRules(allow: [String(range)], deny: [])
    bench.loop.change(settings)
    #expect(try await bench.fetch(url: url).size == 19)
    await bench.stop()
  }

  @Test(
    "A redirect from an allowed place to a refused one is not followed",
    arguments: [
      "127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "localhost", "[::1]", "0",
      "127.0.0.3", "169.254.169.254",
    ])
  func redirected(_ host: String) async throws {
    let settings = try TransferBench.loopback { settings in
      settings.rules = (try? AddressRules(allow: ["127.0.0.2"], deny: [])) ?? AddressRules()
    }
    let bench = try TransferBench(settings, address: "127.0.0.2")
    let target = "http://\(host):\(bench.origin.port)/barn.jpg"
    let failure = await bench.failure(bench.origin.url("/redirect?to=\(target)"))
    await bench.stop()
    #expect(failure?.code == "address.refused", "\(failure?.description ?? "")")
    #expect(failure?.server == nil, "it was not asked")
    #expect(bench.origin.requests().count == 1)
  }

  @Test func `A denied address is refused although it is allowed, too`() async throws {
    let settings = try TransferBench.loopback { settings in
      let rules = try? AddressRules(allow: ["127.0.0.0/8"], deny: ["127.0.0.0/24"])
      settings.rules = rules ?? AddressRules()
    }
    let bench = try TransferBench(settings)
    let failure = await bench.failure(bench.origin.url("/barn.jpg"))
    await bench.stop()
    #expect(failure?.code == "address.refused")
    #expect(failure?.reason.contains("DenyNetworks=127.0.0.0/24") == true)
  }

  @Test func `After a reload a kept connection is judged by the new rules`() async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/barn.jpg")
    // The connection is usually kept here; if not, the new one is judged when it is dialled.
    _ = try await bench.fetch(url: url)
    bench.loop.change(TransferSettings())
    let failure = await bench.failure(url)
    await bench.stop()
    #expect(failure?.code == "address.refused")
    #expect(bench.origin.requests().count == 1)
  }
}
