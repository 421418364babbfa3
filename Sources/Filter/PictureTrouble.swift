// SPDX-License-Identifier: Apache-2.0
// The errors of a pass, and the failures that they become at the border of the stage.

internal import Codecs
internal import Vocabulary

enum PictureTrouble: Error {
  case codec(CodecError)
  case system(SystemError)
  /// More metadata than allowed.
  case metadata(String)
  /// A colour profile that is larger than this many bytes.
  case profile(limit: UInt64)

  static func codec<Value: ~Copyable>(
    _ body: () throws(CodecError) -> Value
  ) throws(PictureTrouble) -> Value {
    do { return try body() } catch { throw .codec(error) }
  }

  static func system<Value>(
    _ body: () throws(SystemError) -> Value
  ) throws(PictureTrouble) -> Value {
    do { return try body() } catch { throw .system(error) }
  }

  func failure(_ format: PictureFormat) -> Failure {
    switch self {
    case .system(let error): error.failure
    case .metadata(let words):
      Failure(
        .final, code: "picture.metadata", reason: words,
        advice: "Save the picture again with less metadata")
    case .profile(let limit):
      Failure(
        .final, code: "picture.profile",
        reason: "its colour profile is larger than \(limit >> 20) MiB",
        advice: "Save the picture again with a smaller profile, such as sRGB")
    case .codec(let error): Self.failure(error, format)
    }
  }

  private static func failure(_ error: CodecError, _ format: PictureFormat) -> Failure {
    let name = format == .jpeg ? "JPEG" : "PNG"
    let words = error.words
    switch error.code {
    case .system(let error): return error.failure
    case .damaged:
      return Failure(
        .final, code: "\(format.name).damaged", reason: "the \(name) is damaged: \(words)",
        advice: "Check the picture at its source, or send it again")
    case .truncated:
      return Failure(
        .final, code: "\(format.name).truncated", reason: "the \(name) is truncated: \(words)",
        advice: "Check the picture at its source, or send it again")
    case .unsupported:
      return Failure(
        .final, code: "\(format.name).unsupported",
        reason: "this \(name) cannot be developed: \(words)",
        advice: "Save it as a baseline or progressive JPEG with 8 bits per sample")
    case .pixels:
      return Failure(
        .final, code: "picture.pixels", reason: "the picture is too large: \(words)",
        advice: "Raise MaximumPixels= if this size is intended")
    case .memory:
      return Failure(
        .final, code: "picture.memory", reason: "the picture is too large: \(words)",
        advice: "Raise MaximumMemory=, or save it as baseline JPEG or PNG without interlace")
    case .scans:
      return Failure(
        .final, code: "picture.scans", reason: "the picture has too many parts: \(words)",
        advice: "Save it as a baseline JPEG")
    }
  }
}
