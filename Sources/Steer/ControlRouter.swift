// SPDX-License-Identifier: Apache-2.0
// Routes a request: to the handler as a call, or straight back as an answer. A pure function.

struct ControlRouter: Sendable {
  enum Route: Equatable, Sendable {
    /// The call, and the view on which it rests.
    case call(ControlCall, view: String?)
    case answer(ControlAnswer)
  }

  let version: String

  func route(_ request: ControlRequest) -> Route {
    do throws(ControlError) {
      let (interface, method) = try Self.split(request.method)
      switch interface {
      case ControlInterface.name:
        guard let known = ControlCall.Method(rawValue: method) else {
          throw ControlCall.Method.reserved.contains(method)
            ? ControlError.methodNotImplemented(method) : .methodNotFound(method)
        }
        return .call(
          try ControlCall(known, request.parameters), view: try Self.view(request.parameters))
      case ControlInterface.service:
        return .answer(try service(method, request.parameters))
      default: throw .interfaceNotFound(interface)
      }
    } catch {
      return .answer(ControlAnswer(.failed(error)))
    }
  }

  /// Every call may have one.
  private static func view(_ parameters: JSONObject) throws(ControlError) -> String? {
    do throws(FieldError) { return try ViewOrder(request: parameters).view } catch {
      throw .invalidParameter(error.name)
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
      let name: String
      do throws(FieldError) { name = try InterfaceOrder(request: parameters).interface } catch {
        throw .invalidParameter(error.name)
      }
      guard let text = ControlInterface.description(of: name) else {
        throw .interfaceNotFound(name)
      }
      return ControlAnswer(parameters: JSONObject(["description": .string(text)]))
    default: throw .methodNotFound(method)
    }
  }
}
