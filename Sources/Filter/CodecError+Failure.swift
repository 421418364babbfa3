// SPDX-License-Identifier: Apache-2.0
// The failures that the errors of a pass become at the border of the stage.

internal import Codecs
internal import Vocabulary

extension CodecError {
  func failure(_ format: PictureFormat) -> Failure {
    let name = format == .jpeg ? "JPEG" : "PNG"
    return switch code {
    case .system(let error): error.failure
    case .damaged:
      Failure(
        .final, code: "\(format.name).damaged", reason: "the \(name) is damaged: \(words)",
        advice: "Check the picture at its source, or send it again")
    case .truncated:
      Failure(
        .final, code: "\(format.name).truncated", reason: "the \(name) is truncated: \(words)",
        advice: "Check the picture at its source, or send it again")
    case .unsupported:
      Failure(
        .final, code: "\(format.name).unsupported",
        reason: "this \(name) cannot be developed: \(words)",
        advice: "Save it as a baseline or progressive JPEG with 8 bits per sample")
    case .pixels:
      Failure(
        .final, code: "picture.pixels", reason: "the picture is too large: \(words)",
        advice: "Raise MaximumPixels= if this size is intended")
    case .memory:
      Failure(
        .final, code: "picture.memory", reason: "the picture is too large: \(words)",
        advice: "Raise MaximumMemory=, or save it as baseline JPEG or PNG without interlace")
    case .scans:
      Failure(
        .final, code: "picture.scans", reason: "the picture has too many parts: \(words)",
        advice: "Save it as a baseline JPEG")
    case .metadata:
      Failure(
        .final, code: "picture.metadata", reason: words,
        advice: "Save the picture again with less metadata")
    case .profile:
      Failure(
        .final, code: "picture.profile", reason: words,
        advice: "Save the picture again with a smaller profile, such as sRGB")
    }
  }
}
