// SPDX-License-Identifier: Apache-2.0
// Phones put a gain map or a video behind a picture, and announce it in XMP and other segments. A print has neither, so
// it announces neither; all other metadata stays.

import Support
import Testing
import Vocabulary

@testable import Filter

struct PromiseTests {
  private let meta = MetadataTests()
  private let png = ChunkTests()
  private static let head = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

  /// A packet with these attributes and elements in its description.
  static func packet(_ attributes: String = "", _ elements: String = "") -> String {
    """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <!-- hdrgm:Version="1.0" -->
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
     xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"
     xmlns:Container="http://ns.google.com/photos/1.0/container/"
     xmlns:Item="http://ns.google.com/photos/1.0/container/item/" dc:format="a > b"\(attributes)>\(elements)
    <dc:creator><rdf:Seq><rdf:li>M. B.</rdf:li></rdf:Seq></dc:creator>
    </rdf:Description></rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """
  }

  static func directory(_ items: String...) -> String {
    let all = items.map { "<rdf:li rdf:parseType=\"Resource\"><Container:Item \($0)/></rdf:li>" }
    return "<Container:Directory><rdf:Seq>\(all.joined())</rdf:Seq></Container:Directory>"
  }

  private static let hdrgm = " xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\""
  private static let primary = "Item:Semantic=\"Primary\" Item:Mime=\"image/jpeg\""
  private static let map = "Item:Semantic=\"GainMap\" Item:Mime=\"image/jpeg\" Item:Length=\"9\""
  private static let video = "Item:Mime='video/mp4' Item:Semantic='MotionPhoto' Item:Length='9'"

  struct Announcement: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let attributes: String
    var elements = ""
    /// The parts of both that stay.
    var left = ("", "")
    let notices: PictureNotices
  }

  static let announcements = [
    Announcement(
      testDescription: "Ultra HDR as attributes",
      attributes: "\(hdrgm)\n  hdrgm:Version=\"1.0\" hdrgm:GainMapMax='3.2'",
      elements: directory(primary, map), notices: .gainMapDropped),
    Announcement(
      testDescription: "a gain map as elements",
      attributes: hdrgm, elements: "<hdrgm:Version>1.0</hdrgm:Version><hdrgm:Gamma />",
      notices: .gainMapDropped),
    Announcement(
      testDescription: "a namespace declared where it is used",
      attributes: "",
      elements: "<g:Version\(hdrgm.replacing("hdrgm=", with: "g="))>1<b/></g:Version>",
      notices: .gainMapDropped),
    Announcement(
      testDescription: "a default namespace",
      attributes: "",
      elements: "<Version xmlns='http://ns.adobe.com/hdr-gain-map/1.0/'>1.0</Version>",
      notices: .gainMapDropped),
    Announcement(
      testDescription: "Apple's gain map",
      attributes: " xmlns:H='http://ns.apple.com/HDRGainMap/1.0/' H:HDRGainMapVersion='65536'",
      notices: .gainMapDropped),
    Announcement(
      testDescription: "a motion photo",
      attributes: " GCamera:MotionPhoto=\"1\" GCamera:MotionPhotoVersion=\"1\" GCamera:Special='x'"
        + " GCamera:MotionPhotoPresentationTimestampUs=\"7\"",
      elements: directory(primary, video), left: (" GCamera:Special='x'", ""),
      notices: .motionDropped),
    Announcement(
      testDescription: "a micro video, as elements",
      attributes: "",
      elements: "<GCamera:MicroVideo> 1 </GCamera:MicroVideo>"
        + "<GCamera:MicroVideoOffset>99</GCamera:MicroVideoOffset><GCamera:Kept>1</GCamera:Kept>",
      left: ("", "<GCamera:Kept>1</GCamera:Kept>"), notices: .motionDropped),
    Announcement(
      testDescription: "a video whose kind is an element, and a gain map",
      attributes: "",
      elements: "<Container:Directory><rdf:Seq><rdf:li><Item:Semantic>MotionPhoto</Item:Semantic>"
        + "</rdf:li><rdf:li \(map)/></rdf:Seq></Container:Directory>",
      notices: [.motionDropped, .gainMapDropped]),
    Announcement(
      testDescription: "a depth map",
      attributes: "", elements: directory(primary, "Item:Semantic=\"Depth\""),
      notices: .metadataDropped),
  ]

  @Test(arguments: announcements)
  func `what announces a gain map or a video is cut out of XMP, and the rest stays`(
    _ one: Announcement
  ) throws {
    let packet = Self.packet(one.attributes, one.elements)
    let (developed, all) = try meta.carried(0xE1, Self.head + Array(packet.utf8))
    #expect(developed.notices == one.notices)
    let kept = try #require(all.first.map { String(decoding: $0.dropFirst(29), as: UTF8.self) })
    #expect(all.count == 1 && kept == Self.packet(one.left.0, one.left.1))
    let text = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
    let (print, chunks) = try png.carried("iTXt", text + Array(packet.utf8))
    #expect(print.notices == one.notices && chunks == [text + Array(kept.utf8)])
  }

  @Test func `a picture that denies a video, or announces nothing, keeps its XMP byte for byte`()
    throws
  {
    for (attributes, elements) in [
      ("", ""), (" GCamera:MotionPhoto='0' GCamera:MotionPhotoVersion='1'", ""),
      ("", Self.directory(Self.primary)), (Self.hdrgm, ""),
      (" MotionPhoto='1'", "<MotionPhoto>1</MotionPhoto>"),
      (" xmlns:o='http://example.org/' o:MotionPhoto='1'", "<o:Version>1.0</o:Version>"),
    ] {
      let packet = Self.head + Array(Self.packet(attributes, elements).utf8)
      let (developed, all) = try meta.carried(0xE1, packet)
      #expect(developed.notices == [] && all == [packet], "\(attributes)\(elements)")
    }
  }

  static let unreadable = [
    "</rdf:RDF>", "<a", "<a b>", "<a b='", "<!DOCTYPE a>", "<!-- ", "<![CDATA[ ", "<a></b>",
    String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100),
    "<a" + (0..<100).map { " xmlns:n\($0)='u'" }.joined() + "/>",
    "<a" + (0..<600).map { " n\($0)='u'" }.joined() + "/>",
  ]

  @Test(arguments: unreadable)
  func `XMP that cannot be read is left out if it may announce something`(_ broken: String) throws {
    let packet = Self.head + Array(Self.packet("", broken).utf8)
    let (developed, all) = try meta.carried(0xE1, packet)
    #expect(developed.notices == .metadataDropped && all == [])
    // Without these namespaces there is no need to read it.
    let plain = Self.head + Array("<x:xmpmeta>\(broken)".utf8)
    let (other, kept) = try meta.carried(0xE1, plain)
    #expect(other.notices == [] && kept == [plain])
  }

  @Test func `a long packet is read in one pass`() throws {
    let many = String(repeating: "<a b='c'><d/></a>", count: 3000)
    var packet = Array(Self.packet(" GCamera:MotionPhoto='1'", many).utf8)
    #expect(PacketPromise.remove(from: &packet) == .motionDropped)
    #expect(packet == Array(Self.packet("", many).utf8))
  }

  @Test func `extended XMP that announces a gain map or a video is left out`() throws {
    let name =
      Array("http://ns.adobe.com/xmp/extension/\0".utf8) + [UInt8](repeating: 65, count: 40)
    for words in ["http://ns.adobe.com/hdr-gain-map/1.0/", "<GCamera:MotionPhoto>1"] {
      let halves = [words.prefix(12), words.dropFirst(12)].map {
        meta.segment(0xE1, name + $0.utf8)
      }
      let print = try Darkroom.develop(meta.jpeg(with: halves[0] + halves[1]))
      #expect(meta.segments(of: print.bytes).count == 1)
      #expect(print.developed.notices == .metadataDropped)
    }
    let other = name + Array("http://ns.google.com/photos/1.0/camera/ makernote".utf8)
    let (developed, all) = try meta.carried(0xE1, other)
    #expect(developed.notices == [] && all == [other])
  }

  // MARK: segments

  @Test func `the segment of ISO 21496 is left out as the gain map's`() throws {
    let (developed, all) = try meta.carried(
      0xE2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0, 0, 0, 0])
    #expect(developed.notices == .gainMapDropped && all == [])
  }

  /// An index of pictures of these kinds behind the first one.
  private static func index(_ kinds: [UInt8], isLittle: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isLittle ? little : little.reversed()
    }
    let all = [3] + kinds
    let mark: [UInt8] = isLittle ? [0x49, 0x49, 0x2A, 0] : [0x4D, 0x4D, 0, 0x2A]
    let directory =
      number(1, 2) + number(0xB002, 2) + number(7, 2) + number(all.count * 16, 4) + number(26, 4)
    let pictures = all.flatMap { number(Int($0) << 16, 4) + [UInt8](repeating: 0, count: 12) }
    return Array("MPF\0".utf8) + mark + number(8, 4) + directory + number(0, 4) + pictures
  }

  @Test(arguments: [true, false])
  func `an index of pictures behind this one says which of them the print lacks`(
    isLittle: Bool
  ) throws {
    let map = Self.packet(Self.hdrgm + " hdrgm:Version='1.0'")
    let announced = meta.segment(0xE1, Self.head + Array(map.utf8))
    for (kinds, isAnnounced, notices): ([UInt8], Bool, PictureNotices) in [
      ([1], false, .previewRemoved), ([0], false, .previewRemoved), ([5], false, .gainMapDropped),
      ([0], true, .gainMapDropped), ([1, 0], true, [.previewRemoved, .gainMapDropped]),
      ([1, 5], false, [.previewRemoved, .gainMapDropped]),
    ] {
      let segment = meta.segment(0xE2, Self.index(kinds, isLittle: isLittle))
      let print = try Darkroom.develop(meta.jpeg(with: (isAnnounced ? announced : []) + segment))
      #expect(print.developed.notices == notices, "\(kinds) \(isAnnounced)")
      #expect(!meta.segments(of: print.bytes).contains { $0.marker == 0xE2 })
    }
    for cut in 4..<Self.index([0]).count {
      let broken = Array(Self.index([0], isLittle: isLittle).prefix(cut))
      #expect(try meta.carried(0xE2, broken).0.notices == .previewRemoved)
    }
  }

  @Test func `without metadata there is nothing to announce, and no notice`() throws {
    let packet = Self.packet(Self.hdrgm + " hdrgm:Version='1.0'", Self.directory(Self.map))
    let all =
      meta.segment(0xE1, Self.head + Array(packet.utf8)) + meta.segment(0xE2, Self.index([5]))
    for rule in [MetadataRule.strip, .copyright] {
      let print = try Darkroom.develop(meta.jpeg(with: all), metadata: rule)
      #expect(print.developed.notices == [])
      #expect(!String(decoding: print.bytes, as: UTF8.self).contains("hdrgm"))
    }
  }

  @Test func `compressed XMP of a PNG that announces a video is left out`() throws {
    let packet = Array(Self.packet(" GCamera:MotionPhoto='1'").utf8)
    let head = Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8)
    let (developed, chunks) = try png.carried("iTXt", head + TextTests.deflated(packet))
    #expect(chunks == [] && developed.notices == .metadataDropped)
  }
}
