// SPDX-License-Identifier: Apache-2.0
// serialization FILE: reads a property list with Foundation's PropertyListSerialization and prints the CPU
// seconds, the peak memory in KiB and the outcome. The peer in lists.py.

import Foundation

let bytes = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
let start = clock()
var outcome: String
do {
  let list = try PropertyListSerialization.propertyList(from: bytes, format: nil)
  outcome = (list as? [String: Any]).map { "\($0.count) entries" } ?? "read"
} catch { outcome = "refused" }
let time = Double(clock() - start) / Double(CLOCKS_PER_SEC)
let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
let peak = line.split { !$0.isNumber }.first ?? "0"
print(time, peak, outcome)
