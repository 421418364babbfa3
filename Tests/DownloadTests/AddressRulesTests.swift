// SPDX-License-Identifier: Apache-2.0
// The addresses that may be dialled: by default only those of the public internet.

import Support
import Testing
import Vocabulary

struct AddressRulesTests {
  @Test func `an address of this machine is refused unless AllowNetworks= names it`() throws {
    for (text, range) in [("8.8.4.4", "8.8.4.4/32"), ("2600::1", "2600::1/128")] {
      let own = try #require(NetworkAddress(text))
      let isOwn = { (address: NetworkAddress) in address == own }
      let failure = AddressRules().refusal(of: own, isOwn: isOwn)?.failure(server: "a.example")
      #expect(failure?.reason.contains("\(text), an address of this machine, which") == true)
      #expect(failure?.advice.contains("AllowNetworks=\(range) ") == true)
      let allowing = try AddressRules(allow: [range], deny: [])
      #expect(allowing.refusal(of: own, isOwn: isOwn) == nil)
      let other = try #require(NetworkAddress("8.8.8.8"))
      #expect(AddressRules().refusal(of: other, isOwn: isOwn) == nil)
    }
    let hidden = try #require(NetworkAddress("64:ff9b::808:404"))
    let isOwn = { (address: NetworkAddress) in address.description == "8.8.4.4" }
    let all = try AddressRules(allow: ["64:ff9b::/96"], deny: [])
    #expect(all.refusal(of: hidden, isOwn: isOwn) != nil)
  }

  @Test(
    "An address that is not of the public internet is refused by default",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255",
      "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254",
      "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1",
      "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
      "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::2", "::ffff:127.0.0.1",
      "::ffff:8.8.8.8", "::127.0.0.1", "::8.8.8.8", "::ffff:0:10.0.0.1", "64:ff9b::7f00:1",
      "64:ff9b::808:808", "64:ff9b:1::a00:1", "100::1", "2001::1", "2001:0:7f00:1::",
      "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1",
      "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1",
      "2a00:1450::5efe:127.0.0.1", "2a00:1450::200:5efe:8.8.8.8",
    ])
  func refused(_ text: String) throws {
    let address = try #require(NetworkAddress(text))
    let failure = try #require(AddressRules().refusal(of: address)).failure(server: "example.org")
    #expect(failure.code == "address.refused")
    #expect(failure.kind == .final)
    #expect(failure.reason.hasPrefix("example.org leads to \(address), "))
    #expect(failure.advice.contains("AllowNetworks="))
  }

  @Test(
    "An address of the public internet is dialled",
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
      "126.255.255.255", "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0",
      "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
      "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1",
    ])
  func dialled(_ text: String) throws {
    #expect(AddressRules().refusal(of: try #require(NetworkAddress(text))) == nil)
  }

  @Test(
    "AllowNetworks= allows the networks it names and no others",
    arguments: [
      (["127.0.0.0/8"], "127.0.0.1", true), (["127.0.0.1"], "127.0.0.1", true),
      (["127.0.0.1"], "127.0.0.2", false), (["192.168.0.0/16"], "192.168.9.9", true),
      (["192.168.0.0/16"], "10.0.0.1", false), (["::1"], "::1", true),
      (["fd00::/8"], "fd12::1", true), (["0.0.0.0/0"], "::1", false),
      (["0.0.0.0/0"], "10.0.0.1", true), (["::/0"], "fe80::1", true),
      // An embedded IPv4 address must be allowed itself, and so must the range that embeds it.
      (["127.0.0.0/8"], "::ffff:127.0.0.1", false), (["::/0"], "::ffff:127.0.0.1", false),
      (["::/0", "127.0.0.0/8"], "::ffff:127.0.0.1", true),
      (["64:ff9b::/96"], "64:ff9b::808:808", true), (["64:ff9b::/96"], "64:ff9b::7f00:1", false),
      (["2002::/16"], "2002:a00:1::", false), (["2002::/16"], "2002:808:808::1", true),
      (["2001::/32"], "2001:0:808:808:0:0:80ff:fffe", false),
    ])
  func allowed(_ allow: [String], _ text: String, _ isDialled: Bool) throws {
    let rules = try AddressRules(allow: allow, deny: [])
    #expect((rules.refusal(of: try #require(NetworkAddress(text))) == nil) == isDialled)
  }

  @Test func `DenyNetworks= overrides AllowNetworks=, and the reason names it`() throws {
    let rules = try AddressRules(allow: ["10.0.0.0/8"], deny: ["10.9.0.0/16", "8.8.8.0/24"])
    #expect(rules.refusal(of: try #require(NetworkAddress("10.1.0.1"))) == nil)
    let inside = try #require(NetworkAddress("10.9.0.1"))
    #expect(
      rules.refusal(of: inside)?.failure(server: "a.example").reason
        == "a.example leads to 10.9.0.1, which DenyNetworks=10.9.0.0/16 refuses")
    #expect(rules.refusal(of: try #require(NetworkAddress("8.8.8.8"))) != nil)
    let all = try AddressRules(allow: ["64:ff9b::/96"], deny: ["8.0.0.0/8"])
    #expect(all.refusal(of: try #require(NetworkAddress("64:ff9b::808:808"))) != nil)
  }

  @Test func `A refusal names the kind of the address and the setting that allows it`() throws {
    let failure = AddressRules().refusal(of: try #require(NetworkAddress("10.0.0.5")))?
      .failure(server: "photos.example.org")
    #expect(
      failure?.reason
        == "photos.example.org leads to 10.0.0.5, a private address, which AllowNetworks= does not allow"
    )
    #expect(failure?.advice == "If you trust it, set AllowNetworks=10.0.0.0/8 under [Download]")
  }

  @Test(
    "Text that is not a network is refused with an example",
    arguments: [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0", "010.0.0.1",
      "256.0.0.1", "::/129", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "fe80::1%eth0",
      "12345::", "example.org", "1.2.3.4:80", "::1.2.3", "::+1",
    ])
  func noNetwork(_ text: String) {
    let error = #expect(throws: TextProblem.self) { try NetworkRange(parsing: text) }
    #expect(error?.description.contains("192.168.0.0/16") == true)
  }

  @Test(
    "An address has one spelling",
    arguments: [
      ("0:0:0:0:0:0:0:0", "::"), ("1:0:0:0:0:0:0:1", "1::1"),
      ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
      ("::FFFF:1.2.3.4", "::ffff:102:304"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("a::", "a::"),
      ("9.8.7.6", "9.8.7.6"),
    ])
  func written(_ text: String, _ shown: String) throws {
    #expect(try #require(NetworkAddress(text)).description == shown)
  }

  @Test func `A network written by one of its addresses is the same network`() throws {
    #expect(try NetworkRange(parsing: "10.1.2.3/8") == NetworkRange(parsing: "10.0.0.0/8"))
    #expect(try NetworkRange(parsing: "10.1.2.3/15").description == "10.0.0.0/15")
  }
}
