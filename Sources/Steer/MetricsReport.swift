// SPDX-License-Identifier: Apache-2.0
// The reply to `Metrics`: families of numbers for a monitoring system, in the terms of OpenMetrics. No label has values
// without bound.

package struct MetricFamily: MessageValue {
  package enum Kind: String, Sendable { case counter, gauge, histogram }

  package struct Label: MessageValue {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    package init(_ fields: MessageFields) throws(FieldError) {
      name = try fields.string("name")
      value = try fields.string("value")
    }

    package var object: JSONObject {
      JSONObject(["name": .string(name), "value": .string(value)])
    }
  }

  package struct Sample: MessageValue {
    /// The end of its name: `_total`, `_bucket`, `_count` or `_sum`; empty for a gauge.
    package var suffix: String
    package var labels: [Label]
    /// A decimal number.
    package var value: String

    package init(_ value: String, suffix: String = "", labels: [Label] = []) {
      (self.suffix, self.labels, self.value) = (suffix, labels, value)
    }

    package init(_ fields: MessageFields) throws(FieldError) {
      suffix = try fields.string("suffix")
      labels = try fields.values("labels")
      value = try fields.string("value")
    }

    package var object: JSONObject {
      JSONObject([
        "suffix": .string(suffix), "labels": .values(labels), "value": .string(value),
      ])
    }
  }

  package var name: String
  package var kind: Kind
  /// Empty for a plain number.
  package var unit: String
  package var help: String
  package var samples: [Sample]

  package init(
    _ name: String, _ kind: Kind, unit: String = "", _ help: String, _ samples: [Sample]
  ) {
    (self.name, self.kind, self.unit) = (name, kind, unit)
    (self.help, self.samples) = (help, samples)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    guard let kind = Kind(rawValue: try fields.string("kind")) else {
      throw FieldError(name: "kind")
    }
    self.kind = kind
    name = try fields.string("name")
    unit = try fields.string("unit")
    help = try fields.string("help")
    samples = try fields.values("samples")
  }

  package var object: JSONObject {
    JSONObject([
      "name": .string(name), "kind": .string(kind.rawValue), "unit": .string(unit),
      "help": .string(help), "samples": .values(samples),
    ])
  }
}

package struct MetricsReport: MessageValue {
  package var families: [MetricFamily]

  package init(families: [MetricFamily]) { self.families = families }

  package init(_ fields: MessageFields) throws(FieldError) {
    families = try fields.values("families")
  }

  package var object: JSONObject { JSONObject(["families": .values(families)]) }
}
