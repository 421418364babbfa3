// SPDX-License-Identifier: Apache-2.0
// The parameters of calls that name a list, and of those that have a single parameter.

internal import Vocabulary

/// `Pause`, `Resume`, `Cancel`, `Remove`, `Sheet` and `Open`.
struct ListOrder: MessageValue {
  var list = ListReference("")

  static let fields: [Field] = [Field("list", \.list)]
}

struct AgedOrder: MessageValue {
  var age = Duration.zero

  static let fields: [Field] = [Field("age", \.age)]
}

struct QualityOrder: MessageValue {
  var list = ListReference("")
  var level = ServiceClass.default

  static let fields: [Field] = [Field("list", \.list), Field("class", \.level)]
  var call: ControlCall { .quality(list, level) }
}

struct UnfocusOrder: MessageValue {
  var list = ListReference("")
  var viewer = ""

  static let fields: [Field] = [
    Field("list", \.list), Field("viewer", \.viewer, isOptional: true),
  ]
  var call: ControlCall { .unfocus(list, viewer: viewer) }
}

struct FlushOrder: MessageValue {
  var host: String?

  static let fields: [Field] = [Field("host", \.host)]
}

struct RedeemOrder: MessageValue {
  var token = ""

  static let fields: [Field] = [Field("token", \.token)]
}

struct CacheOrder: MessageValue {
  var clear = false

  static let fields: [Field] = [Field("clear", \.clear, isOptional: true)]
}

/// Every call may have one.
struct ViewOrder: MessageValue {
  var view: String?

  static let fields: [Field] = [Field("view", \.view)]
}

/// Of `GetInterfaceDescription`.
struct InterfaceOrder: MessageValue {
  var interface = ""

  static let fields: [Field] = [Field("interface", \.interface)]
}
