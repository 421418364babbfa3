// SPDX-License-Identifier: Apache-2.0
// The error replies of darkroom and of varlink, written and read.

package enum ControlError: Error, Hashable, Sendable {
  /// `near` is a name like it, `home` the node of a cluster where a list of the name was dropped.
  case noSuchList(name: String, near: String? = nil, home: String? = nil)
  /// The newest file of that name was rejected.
  case listRejected(name: String, why: String)
  case ambiguousList(name: String, ids: [UInt64])
  case permissionDenied(why: String)
  case notPossible(why: String)
  case reloadFailed(why: String)
  case interfaceNotFound(String)
  case methodNotFound(String)
  case methodNotImplemented(String)
  case invalidParameter(String)
  case expectedMore
  /// From a daemon of another version.
  case unknown(String)

  package var name: String {
    switch self {
    case .noSuchList: "\(ControlInterface.name).NoSuchList"
    case .listRejected: "\(ControlInterface.name).ListRejected"
    case .ambiguousList: "\(ControlInterface.name).AmbiguousList"
    case .permissionDenied: "\(ControlInterface.name).PermissionDenied"
    case .notPossible: "\(ControlInterface.name).NotPossible"
    case .reloadFailed: "\(ControlInterface.name).ReloadFailed"
    case .interfaceNotFound: "\(ControlInterface.service).InterfaceNotFound"
    case .methodNotFound: "\(ControlInterface.service).MethodNotFound"
    case .methodNotImplemented: "\(ControlInterface.service).MethodNotImplemented"
    case .invalidParameter: "\(ControlInterface.service).InvalidParameter"
    case .expectedMore: "\(ControlInterface.service).ExpectedMore"
    case .unknown(let name): name
    }
  }

  package var parameters: JSONObject {
    switch self {
    case .noSuchList(let name, let near, let home): Self.missing(name, near, home)
    case .listRejected(let name, let why):
      JSONObject(["name": .string(name), "why": .string(why)])
    case .ambiguousList(let name, let ids):
      JSONObject(["name": .string(name), "ids": .array(ids.map { .count($0) })])
    case .permissionDenied(let why), .notPossible(let why), .reloadFailed(let why):
      JSONObject(["why": .string(why)])
    case .interfaceNotFound(let name): JSONObject(["interface": .string(name)])
    case .methodNotFound(let name), .methodNotImplemented(let name):
      JSONObject(["method": .string(name)])
    case .invalidParameter(let name): JSONObject(["parameter": .string(name)])
    case .expectedMore, .unknown: JSONObject()
    }
  }

  private static func missing(_ name: String, _ near: String?, _ home: String?) -> JSONObject {
    var object = JSONObject(["name": .string(name)])
    object["near"] = near.map { .string($0) }
    object["home"] = home.map { .string($0) }
    return object
  }

  package init(name: String, parameters: JSONObject) {
    func text(_ field: String) -> String { parameters[field]?.string ?? "" }
    let parts = name.utf8.split(separator: UInt8(ascii: "."))
    let last = parts.last.map { String(decoding: Array($0), as: UTF8.self) } ?? ""
    let known: ControlError =
      switch last {
      case "NoSuchList":
        .noSuchList(
          name: text("name"), near: parameters["near"]?.string,
          home: parameters["home"]?.string)
      case "ListRejected": .listRejected(name: text("name"), why: text("why"))
      case "AmbiguousList":
        .ambiguousList(
          name: text("name"),
          ids: (try? [UInt64](parameters["ids"] ?? .null, of: "ids", .max)) ?? [])
      case "PermissionDenied": .permissionDenied(why: text("why"))
      case "NotPossible": .notPossible(why: text("why"))
      case "ReloadFailed": .reloadFailed(why: text("why"))
      case "InterfaceNotFound": .interfaceNotFound(text("interface"))
      case "MethodNotFound": .methodNotFound(text("method"))
      case "MethodNotImplemented": .methodNotImplemented(text("method"))
      case "InvalidParameter": .invalidParameter(text("parameter"))
      case "ExpectedMore": .expectedMore
      default: .unknown(name)
      }
    self = known.name == name ? known : .unknown(name)
  }
}
