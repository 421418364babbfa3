// SPDX-License-Identifier: Apache-2.0
// One way through a packet: its elements and namespaces, and the places of everything that announces a gain map or a
// video. Bounded in depth and in namespaces; a packet beyond that, or a broken one, cannot be read.

internal import Vocabulary

struct PromiseReading {
  private static let deepest = 64
  private static let mostPrefixes = 64
  private static let longestPrefix = 64

  private struct Element {
    let name: Range<Int>
    let start: Int
    let content: Int
    /// The number of prefixes outside of it.
    let outside: Int
    let promise: Promise?
  }

  private enum Promise { case gainMap, video, directory }

  private let bytes: [UInt8]
  private var tags: PacketTags
  private var open: [Element] = []
  private var prefixes: [(name: Range<Int>, space: PacketPromise.Space?)] = []
  /// The depth of the element that is cut as a whole, or may be.
  private var inside: Int?

  private var gainMaps: [Range<Int>] = []
  /// Declarations of the namespace of gain maps.
  private var declarations: [Range<Int>] = []
  private var videos: [Range<Int>] = []
  private var directories: [Range<Int>] = []
  /// The kinds of the items in the directory that is open, and in all that are cut.
  private var items: [[UInt8]] = []
  private var missing: [[UInt8]] = []
  private var (hasVideo, hasNoVideo) = (false, false)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    tags = PacketTags(bytes)
  }

  mutating func read() -> Bool {
    while let tag = tags.next() {
      let isRead = tag.kind == .close ? close(tag) : begin(tag)
      if !isRead { return false }
    }
    return !tags.isBroken && open.isEmpty
  }

  func findings() -> (cuts: [Range<Int>], notices: PictureNotices) {
    var cuts = gainMaps + directories
    var notices = PictureNotices()
    let isVideo = { (item: [UInt8]) in item.elementsEqual("MotionPhoto".utf8) }
    let isMap = { (item: [UInt8]) in item.elementsEqual("GainMap".utf8) }
    if !gainMaps.isEmpty { cuts += declarations }
    if !gainMaps.isEmpty || missing.contains(where: isMap) { notices.insert(.gainMapDropped) }
    let isMoving = hasVideo || missing.contains(where: isVideo) || !hasNoVideo && !videos.isEmpty
    if isMoving {
      cuts += videos
      notices.insert(.motionDropped)
    }
    if missing.contains(where: { !isVideo($0) && !isMap($0) }) { notices.insert(.metadataDropped) }
    return (cuts, notices)
  }

  // MARK: elements

  private mutating func begin(_ tag: PacketTags.Tag) -> Bool {
    let outside = prefixes.count
    guard declare(tag), open.count < Self.deepest else { return false }
    let promise = inside == nil ? promise(tag.name) : nil
    if promise != nil {
      inside = open.count
    } else {
      look(at: tag)
    }
    open.append(
      Element(
        name: tag.name, start: tag.whole.lowerBound, content: tag.whole.upperBound,
        outside: outside, promise: promise))
    return tag.kind == .empty ? end(at: tag.whole.upperBound, content: 0..<0) : true
  }

  private mutating func close(_ tag: PacketTags.Tag) -> Bool {
    guard let last = open.last, bytes[last.name].elementsEqual(bytes[tag.name]) else {
      return false
    }
    return end(at: tag.whole.upperBound, content: last.content..<tag.whole.lowerBound)
  }

  private mutating func end(at end: Int, content: Range<Int>) -> Bool {
    guard let last = open.popLast() else { return false }
    if inside != nil, last.promise == nil, isKind(last.name) { items.append(text(content)) }
    prefixes.removeLast(prefixes.count - last.outside)
    guard let promise = last.promise else { return true }
    inside = nil
    let whole = last.start..<end
    switch promise {
    case .gainMap: gainMaps.append(whole)
    case .video:
      videos.append(whole)
      answer(last.name, content)
    case .directory:
      let absent = items.filter { !$0.elementsEqual("Primary".utf8) && !$0.isEmpty }
      items = []
      if absent.isEmpty { break }
      directories.append(whole)
      missing += absent
    }
    return true
  }

  private func promise(_ name: Range<Int>, isAttribute: Bool = false) -> Promise? {
    let (space, local) = resolved(name)
    // An attribute without a prefix is in no namespace.
    if isAttribute, local == name { return nil }
    switch space {
    case .gainMap: return .gainMap
    case .camera: return isVideo(local) ? .video : nil
    case .container: return bytes[local].elementsEqual("Directory".utf8) ? .directory : nil
    case .item, nil: return nil
    }
  }

  private func isVideo(_ local: Range<Int>) -> Bool {
    bytes[local].starts(with: "MotionPhoto".utf8) || bytes[local].starts(with: "MicroVideo".utf8)
  }

  private func isKind(_ name: Range<Int>) -> Bool {
    let (space, local) = resolved(name)
    return space == .item && bytes[local].elementsEqual("Semantic".utf8)
  }

  /// `MotionPhoto` and `MicroVideo` are 1, or 0 in a picture without a video.
  private mutating func answer(_ name: Range<Int>, _ value: Range<Int>) {
    let local = bytes[resolved(name).local]
    guard local.elementsEqual("MotionPhoto".utf8) || local.elementsEqual("MicroVideo".utf8) else {
      return
    }
    if text(value).elementsEqual("0".utf8) { hasNoVideo = true } else { hasVideo = true }
  }

  private func text(_ range: Range<Int>) -> [UInt8] {
    Array(bytes[range].filter { $0 > 0x20 }.prefix(64))
  }

  // MARK: attributes

  private mutating func look(at tag: PacketTags.Tag) {
    for attribute in tag.attributes {
      if inside != nil {
        if isKind(attribute.name) { items.append(text(attribute.value)) }
        continue
      }
      switch promise(attribute.name, isAttribute: true) {
      case .gainMap: gainMaps.append(attribute.whole)
      case .video:
        videos.append(attribute.whole)
        answer(attribute.name, attribute.value)
      case .directory, nil: break
      }
    }
  }

  // MARK: namespaces

  private mutating func declare(_ tag: PacketTags.Tag) -> Bool {
    for attribute in tag.attributes {
      let name = bytes[attribute.name]
      guard name.starts(with: "xmlns".utf8) else { continue }
      let prefix: Range<Int>
      if name.count == 5 {
        prefix = attribute.name.upperBound..<attribute.name.upperBound
      } else if name.dropFirst(5).first == UInt8(ascii: ":") {
        prefix = (attribute.name.lowerBound + 6)..<attribute.name.upperBound
      } else {
        continue
      }
      guard prefixes.count < Self.mostPrefixes, prefix.count <= Self.longestPrefix else {
        return false
      }
      let space = PacketPromise.space(of: bytes[attribute.value])
      prefixes.append((prefix, space))
      if space == .gainMap, inside == nil { declarations.append(attribute.whole) }
    }
    return true
  }

  /// The namespace of a name, and the name without its prefix.
  private func resolved(_ name: Range<Int>) -> (space: PacketPromise.Space?, local: Range<Int>) {
    let colon = bytes[name].prefix(Self.longestPrefix + 1).firstIndex(of: UInt8(ascii: ":"))
    let prefix = bytes[name.lowerBound..<(colon ?? name.lowerBound)]
    let local = (colon.map { $0 + 1 } ?? name.lowerBound)..<name.upperBound
    let found = prefixes.last { bytes[$0.name].elementsEqual(prefix) }
    return (found?.space, local)
  }
}
