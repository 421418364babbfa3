// SPDX-License-Identifier: Apache-2.0
// The daemon's numbers as OpenMetrics text, for the textfile collector of Prometheus' node exporter. Promises: only
// printable characters, one sample a line, and the end mark at the end.

internal import Steer
internal import Vocabulary

enum MetricsText {
  static func text(_ report: MetricsReport) -> String {
    report.families.map(text).joined() + "# EOF\n"
  }

  private static func text(_ family: MetricFamily) -> String {
    let name = word(family.name)
    var lines = ["# TYPE \(name) \(family.kind.rawValue)"]
    if !family.unit.isEmpty { lines.append("# UNIT \(name) \(word(family.unit))") }
    lines.append("# HELP \(name) \(quoted(family.help))")
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
    Printable.text(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
