// SPDX-License-Identifier: Apache-2.0
// Cuts out of XMP what announces a part of the file that its print does not have: a gain map (Ultra HDR, Apple's) or a
// video (motion photos). A viewer would look for it behind the picture. The rest of the packet stays byte for byte, and
// well-formed.

internal import Vocabulary

enum PacketPromise {
  enum Space: Equatable { case gainMap, camera, container, item }

  private static let spaces: [(name: [UInt8], space: Space)] = [
    (Array("http://ns.adobe.com/hdr-gain-map/1.0/".utf8), .gainMap),
    (Array("http://ns.apple.com/HDRGainMap/1.0/".utf8), .gainMap),
    (Array("http://ns.google.com/photos/1.0/camera/".utf8), .camera),
    (Array("http://ns.google.com/photos/1.0/container/".utf8), .container),
    (Array("http://ns.google.com/photos/1.0/container/item/".utf8), .item),
  ]

  /// An announcement has such a name; in a text that cannot be cut, each is one. The namespace of the camera has other
  /// uses.
  static let marks =
    spaces.filter { $0.space != .camera }.map(\.name)
    + ["MotionPhoto", "MicroVideo"].map { Array($0.utf8) }

  /// The parts that were announced, and are cut out; nil if the packet cannot be read, although it may announce one.
  static func remove(from packet: inout [UInt8]) -> PictureNotices? {
    guard spaces.contains(where: { PacketPreview.find($0.name, in: packet) != nil }) else {
      return []
    }
    var reading = PromiseReading(packet)
    guard reading.read() else { return nil }
    let found = reading.findings()
    if found.cuts.isEmpty { return [] }
    var kept: [UInt8] = []
    var at = 0
    for cut in found.cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) where cut.lowerBound >= at {
      kept += packet[at..<cut.lowerBound]
      at = cut.upperBound
    }
    packet = kept + packet[at...]
    return found.notices
  }

  static func space(of name: ArraySlice<UInt8>) -> Space? {
    spaces.first { name.elementsEqual($0.name) }?.space
  }
}
