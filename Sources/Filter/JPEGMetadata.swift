// SPDX-License-Identifier: Apache-2.0
// The metadata of a JPEG, and the part of it that goes into the print: EXIF, XMP, RGB profiles, Photoshop's
// resources (with IPTC) and comments, byte for byte, without their previews. Holds offsets only, and reads
// the bytes when it writes them. Damage ends the walk silently: libjpeg reads the same bytes and reports the
// error. Raises CodecError.

internal import Codecs
internal import Vocabulary

struct JPEGMetadata {
  struct Segment: Equatable {
    enum Kind: Equatable {
      case exif, packet, extendedPacket, profile, index, resources, comment
    }

    let kind: Kind
    let marker: UInt8
    let offset: UInt64
    let size: Int
  }

  private(set) var segments: [Segment] = []
  private(set) var notices = PictureNotices()
  private let rule: MetadataRule
  private var profileSpace: [UInt8]?
  /// Extended XMP is split into pieces under one checksum: the print gets all pieces or none.
  private var previewSearch = PacketPreview.Search()
  private var promiseSearch = PacketPreview.Search(PacketPromise.marks)
  /// Of the pictures behind this one.
  private var index: PictureIndex?

  init(
    of file: any OpenFile, rule: MetadataRule, limits: PictureLimits
  ) throws(CodecError) {
    self.rule = rule
    var window = ByteWindow(file)
    var offset: UInt64 = 2
    var parts = 0
    var total: UInt64 = 0
    var profile: UInt64 = 0
    while true {
      let head = Array(try window.read(at: offset, 4))
      guard head.count == 4, head[0] == 0xFF else { break }
      if head[1] == 0xFF {  // fill byte
        offset += 1
        continue
      }
      // A scan or the end: no metadata follows.
      if head[1] == 0xDA || head[1] == 0xD9 { break }
      let size = Int(head[2]) << 8 | Int(head[3])
      guard size >= 2 else { break }
      parts += 1
      if let segment = try judge(head[1], at: offset + 4, size - 2, &window, file) {
        segments.append(segment)
        total += UInt64(size)
        if segment.kind == .profile { profile += UInt64(size) }
      }
      try limits.check(parts: parts, size: total, profile: profile)
      offset += UInt64(size) + 2
    }
    decide()
  }

  private mutating func judge(
    _ marker: UInt8, at offset: UInt64, _ size: Int, _ window: inout ByteWindow,
    _ file: any OpenFile
  ) throws(CodecError) -> Segment? {
    guard marker == 0xFE || 0xE0...0xEF ~= marker else { return nil }
    let head = Array(try window.read(at: offset, min(size, 48)))
    guard let kind = kind(marker, head) else { return nil }
    let segment = Segment(kind: kind, marker: marker, offset: offset, size: size)
    switch kind {
    case .profile where head.count >= 34 && head[12] == 1: profileSpace = Array(head[30..<34])
    case .extendedPacket where rule == .keep:
      let piece = try bytes(of: segment, in: file).dropFirst(Self.extendedHeadSize)
      previewSearch.look(into: piece)
      promiseSearch.look(into: piece)
    case .index:
      index = PictureIndex(Array(try bytes(of: segment, in: file).dropFirst(4)))
      return nil
    default: break
    }
    return segment
  }

  private mutating func kind(_ marker: UInt8, _ head: [UInt8]) -> Segment.Kind? {
    func begins(_ words: String) -> Bool { head.starts(with: Array(words.utf8) + [0]) }
    switch marker {
    case 0xFE: return .comment
    case 0xE0:
      // Of JFIF the codec writes only the density.
      let hasPreview = begins("JFXX") || begins("JFIF") && head.count > 14
      if hasPreview { notices.insert(.previewRemoved) }
      return nil
    case 0xE1 where begins("Exif"): return .exif
    case 0xE1 where begins(Self.packetName): return .packet
    case 0xE1 where begins(Self.extendedName): return .extendedPacket
    case 0xE2 where begins("ICC_PROFILE"): return .profile
    case 0xE2 where begins("MPF"): return .index
    case 0xE2 where begins(Self.gainMapName): notices.insert(.gainMapDropped)
    case 0xED where begins(Self.resourcesName): return .resources
    case 0xEE where begins("Adobe"): break  // the colour coding of the original, not of the print
    default: notices.insert(.metadataDropped)
    }
    return nil
  }

  /// Decides once all segments are known.
  private mutating func decide() {
    if profileSpace != Array("RGB ".utf8), segments.contains(where: { $0.kind == .profile }) {
      segments.removeAll { $0.kind == .profile }
      notices.insert(.profileDropped)
    }
    if previewSearch.isFound {
      segments.removeAll { $0.kind == .extendedPacket }
      notices.formUnion([.previewRemoved, .metadataDropped])
    }
    if promiseSearch.isFound {
      segments.removeAll { $0.kind == .extendedPacket }
      notices.insert(.metadataDropped)
    }
    if rule != .keep { select() }
  }

  /// Applies the rule; a part that the rule removes needs no notice. Of several EXIF segments, readers use
  /// the first.
  private mutating func select() {
    notices.formIntersection(.profileDropped)
    let first = segments.first { $0.kind == .exif }
    segments.removeAll { segment in
      switch segment.kind {
      case .profile: false
      case .exif: segment != first
      case .packet, .resources: rule == .strip
      case .extendedPacket, .index, .comment: true
      }
    }
  }
}

extension JPEGMetadata {
  static let packetName = "http://ns.adobe.com/xap/1.0/"
  static let extendedName = "http://ns.adobe.com/xmp/extension/"
  static let resourcesName = "Photoshop 3.0"
  /// ISO 21496-1: the picture has a gain map.
  static let gainMapName = "urn:iso:std:iso:ts:21496:-1"
  /// The size of the head of each piece of extended XMP: name, NUL, checksum, length, offset.
  private static let extendedHeadSize = extendedName.utf8.count + 1 + 40

  mutating func copy(
    from file: any OpenFile, into writer: inout JPEGWriter
  ) throws(CodecError) {
    var areResourcesDone = false
    for segment in segments {
      if segment.kind == .resources {
        if !areResourcesDone { try copyResources(from: file, into: &writer) }
        areResourcesDone = true
        continue
      }
      guard let bytes = cleaned(try bytes(of: segment, in: file), segment.kind) else { continue }
      try writer.write(marker: segment.marker, bytes)
    }
    if rule == .keep, let index { note(index) }
  }

  /// Once XMP has been read: old indexes call each picture undefined, and one such is the gain map that XMP announces.
  private mutating func note(_ index: PictureIndex) {
    if index.hasGainMap { notices.insert(.gainMapDropped) }
    if index.hasPreview || !notices.contains(.gainMapDropped) { notices.insert(.previewRemoved) }
  }

  private func bytes(of segment: Segment, in file: any OpenFile) throws(CodecError) -> [UInt8] {
    try CodecError.system { () throws(SystemError) in
      try file.read(at: segment.offset, upTo: segment.size)
    }
  }

  private mutating func cleaned(_ bytes: [UInt8], _ kind: Segment.Kind) -> [UInt8]? {
    if rule != .keep { return excerpt(of: bytes, kind) }
    var kept = bytes
    let outcome: PreviewOutcome
    switch kind {
    case .exif:
      var directory = Array(bytes.dropFirst(6))
      outcome = ExifPreview.remove(from: &directory)
      kept = bytes.prefix(6) + directory
    case .packet: return notices.clean(packet: &kept) ? kept : nil
    case .comment: outcome = PictureStream.blank(in: &kept) ? .removed : .none
    case .extendedPacket, .profile, .index, .resources: outcome = .none
    }
    notices.note(outcome)
    return outcome == .unreadable ? nil : kept
  }

  private func excerpt(of bytes: [UInt8], _ kind: Segment.Kind) -> [UInt8]? {
    switch kind {
    case .exif:
      let directory = ExifExcerpt.make(
        of: Array(bytes.dropFirst(6)), withRights: rule == .copyright)
      return directory.map { bytes.prefix(6) + $0 }
    case .packet:
      let head = Array(Self.packetName.utf8) + [0]
      return PacketExcerpt.make(of: Array(bytes.dropFirst(head.count))).map { head + $0 }
    case .profile: return bytes
    case .extendedPacket, .index, .resources, .comment: return nil
    }
  }

  /// A resource may extend into the next segment, so all segments are examined together.
  private mutating func copyResources(
    from file: any OpenFile, into writer: inout JPEGWriter
  ) throws(CodecError) {
    let name = Array(Self.resourcesName.utf8) + [0]
    let all = segments.filter { $0.kind == .resources }
    guard all.count <= 64 else { return notices.note(.unreadable) }
    var resources: [UInt8] = []
    for segment in all { resources += try bytes(of: segment, in: file).dropFirst(name.count) }
    var outcome = PreviewOutcome.none
    // Unchanged resources keep the boundaries of their segments.
    var sizes: [Int] = []
    if rule == .copyright {
      guard let excerpt = ResourceExcerpt.make(of: resources) else {
        return notices.note(.unreadable)
      }
      resources = excerpt
    } else {
      outcome = ResourcePreview.remove(from: &resources)
      if outcome == .none { sizes = all.map { $0.size - name.count } }
    }
    notices.note(outcome)
    if outcome == .unreadable { return }
    while !resources.isEmpty {
      let size = sizes.isEmpty ? 65000 : sizes.removeFirst()
      let piece = name + resources.prefix(size)
      resources.removeFirst(min(size, resources.count))
      try writer.write(marker: 0xED, piece)
    }
  }
}
