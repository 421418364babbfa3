// SPDX-License-Identifier: Apache-2.0
// Routes a request: to the handler as a call, or straight back as an answer. A pure function.

struct ControlRouter: Sendable {
  enum Route: Sendable {
    /// The call, and the view on which it rests.
    case call(any ControlMethod, view: String?)
    case answer(ControlAnswer)
  }

  let version: String

  func route(_ request: ControlRequest) -> Route {
    do throws(ControlError) {
      let (interface, method) = try Self.split(request.method)
      switch interface {
      case ControlInterface.name:
        guard let known = ControlInterface.method(method) else {
          throw ControlInterface.reserved.contains(method)
            ? ControlError.methodNotImplemented(method) : .methodNotFound(method)
        }
        return .call(
          try known.init(request: request.parameters),
          view: try ViewOrder(request: request.parameters).view)
      case ControlInterface.service:
        return .answer(try service(method, request.parameters))
      default: throw .interfaceNotFound(interface)
      }
    } catch {
      return .answer(ControlAnswer(.failed(error)))
    }
  }

  /// Splits at the last dot.
  private static func split(_ name: String) throws(ControlError) -> (String, String) {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      throw .interfaceNotFound(name)
    }
    return (String(name[..<dot]), String(name[name.utf8.index(after: dot)...]))
  }

  private func service(
    _ method: String, _ parameters: JSONObject
  ) throws(ControlError) -> ControlAnswer {
    switch method {
    case "GetInfo":
      return ControlAnswer(
        parameters: JSONObject([
          "vendor": "darkroom", "product": "darkroomd", "version": .string(version),
          "url": "man:darkroomd(8)",
          "interfaces": [.string(ControlInterface.service), .string(ControlInterface.name)],
        ]))
    case "GetInterfaceDescription":
      let name = try InterfaceOrder(request: parameters).interface
      guard let text = ControlInterface.description(of: name) else {
        throw .interfaceNotFound(name)
      }
      return ControlAnswer(parameters: JSONObject(["description": .string(text)]))
    default: throw .methodNotFound(method)
    }
  }
}

/// Every call may have one.
private struct ViewOrder: MessageValue {
  var view: String?

  static let fields: [Field] = [Field("view", \.view)]
}

/// Of `GetInterfaceDescription`.
struct InterfaceOrder: MessageValue {
  var interface = ""

  static let fields: [Field] = [Field("interface", \.interface)]
}
