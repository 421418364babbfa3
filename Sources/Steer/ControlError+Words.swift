// SPDX-License-Identifier: Apache-2.0
// The errors in words, one line each, for the caller.

internal import Vocabulary

extension ControlError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSuchList(let name, _, let home?):
      "the list '\(Printable.text(name))' was dropped at node '\(Printable.text(home))'; ask there"
    case .noSuchList(let name, nil, nil):
      "there is no list '\(Printable.text(name))'; 'darkroomctl list' shows all lists, and 'darkroomctl inbox' files "
        + "that wait or were rejected"
    case .noSuchList(let name, let near?, nil):
      "there is no list '\(Printable.text(name))' (did you mean '\(Printable.text(near))'?)"
    case .listRejected(let name, let why):
      "the list '\(Printable.text(name))' was not accepted: \(Printable.sentence(why))"
    case .ambiguousList(let name, let ids):
      "several lists are meant by '\(Printable.text(name))'; use a number instead: "
        + ids.prefix(10).map { String($0) }.joined(separator: ", ")
        + (ids.count > 10 ? ", …" : "")
    case .permissionDenied(let why): why.isEmpty ? "permission denied" : Printable.sentence(why)
    case .notPossible(let why): Printable.sentence(why)
    case .reloadFailed(let why): Printable.sentence(why)
    case .interfaceNotFound(let name):
      "darkroomd does not have the interface '\(Printable.text(name))'; it may be another version"
    case .methodNotFound(let name):
      "darkroomd does not have the method '\(Printable.text(name))'; it may be another version"
    case .methodNotImplemented(let name):
      "darkroomd does not implement '\(Printable.text(name))' yet"
    case .invalidParameter(let name):
      "darkroomd does not accept the value of '\(Printable.text(name))'"
    case .expectedMore: "darkroomd requires 'more' to be set for this call"
    case .unknown(let name): "darkroomd returned the unknown error '\(Printable.text(name))'"
    }
  }
}
