// SPDX-License-Identifier: Apache-2.0
// The errors in words, one line each, for whoever called.

internal import Vocabulary

extension ControlError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSuchList(let name):
      "there is no list '\(Printable.text(name))'; 'darkroomctl list' shows those there are"
    case .listRejected(let name, let why):
      "the list '\(Printable.text(name))' was not accepted: \(Printable.text(why))"
    case .ambiguousList(let name, let ids):
      "several lists are named '\(Printable.text(name))'; say which by its number: "
        + ids.prefix(10).map { String($0) }.joined(separator: ", ")
        + (ids.count > 10 ? ", …" : "")
    case .permissionDenied(let why): why.isEmpty ? "it is not permitted" : Printable.text(why)
    case .notPossible(let why): Printable.text(why)
    case .reloadFailed(let why): Printable.text(why)
    case .interfaceNotFound(let name):
      "darkroomd knows no interface '\(Printable.text(name))'; the two may be of different versions"
    case .methodNotFound(let name):
      "darkroomd knows no method '\(Printable.text(name))'; the two may be of different versions"
    case .methodNotImplemented(let name):
      "darkroomd cannot do '\(Printable.text(name))' yet"
    case .invalidParameter(let name):
      "darkroomd does not accept the value of '\(Printable.text(name))'"
    case .expectedMore: "darkroomd answers this only to a caller that takes several replies"
    case .unknown(let name): "darkroomd answered the unknown error '\(Printable.text(name))'"
    }
  }
}
