// SPDX-License-Identifier: Apache-2.0
// The reply to `Metrics`: families of numbers for a monitoring system, in the terms of OpenMetrics. No label has values
// without bound.

package struct MetricFamily: MessageValue {
  package enum Kind: String, MessagePart { case counter, gauge, histogram }

  package struct Label: MessageValue {
    package var name = ""
    package var value = ""

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    package init() {}
    package static let fields: [Field] = [Field("name", \.name), Field("value", \.value)]
    package static var varlink: String { line }
  }

  package struct Sample: MessageValue {
    /// The end of its name: `_total`, `_bucket`, `_count` or `_sum`; empty for a gauge.
    package var suffix = ""
    package var labels: [Label] = []
    /// A decimal number.
    package var value = ""

    package init(_ value: String, suffix: String = "", labels: [Label] = []) {
      (self.suffix, self.labels, self.value) = (suffix, labels, value)
    }

    package init() {}
    package static let fields: [Field] = [
      Field("suffix", \.suffix), Field("labels", \.labels), Field("value", \.value),
    ]
    package static var varlink: String { "MetricSample" }
  }

  package var name = ""
  package var kind = Kind.gauge
  /// Empty for a plain number.
  package var unit = ""
  package var help = ""
  package var samples: [Sample] = []

  package init(
    _ name: String, _ kind: Kind, unit: String = "", _ help: String, _ samples: [Sample]
  ) {
    (self.name, self.kind, self.unit) = (name, kind, unit)
    (self.help, self.samples) = (help, samples)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("name", \.name), Field("kind", \.kind), Field("unit", \.unit), Field("help", \.help),
    Field("samples", \.samples),
  ]
}

package struct MetricsReport: MessageValue {
  package var families: [MetricFamily] = []

  package init(families: [MetricFamily]) { self.families = families }

  package init() {}
  package static let fields: [Field] = [Field("families", \.families)]
}
