// SPDX-License-Identifier: Apache-2.0
// The daemon's numbers in Prometheus' text format, for the textfile collector of its node exporter. Promises: only
// printable characters, one sample a line.

internal import Steer
internal import Vocabulary

enum MetricsText {
  static func text(_ report: MetricsReport) -> String {
    report.families.map(text).joined()
  }

  private static func text(_ family: MetricFamily) -> String {
    let name = word(family.name)
    // The format has a type for each name that stands before a value, even for a counter, whose name ends in _total.
    let shown = family.kind == .counter ? "\(name)_total" : name
    var lines = [
      "# HELP \(shown) \(escaped(family.help))", "# TYPE \(shown) \(family.kind.rawValue)",
    ]
    for sample in family.samples {
      let labels = sample.labels.map { "\(word($0.name))=\"\(quoted($0.value))\"" }
      let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
      lines.append("\(name)\(word(sample.suffix))\(list) \(word(sample.value))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Names and numbers.
  private static func word(_ text: String) -> String {
    String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_:.+-".contains($0)) })
  }

  private static func quoted(_ text: String) -> String {
    escaped(text).replacing("\"", with: "\\\"")
  }

  private static func escaped(_ text: String) -> String {
    Printable.text(text).replacing("\\", with: "\\\\")
  }
}
