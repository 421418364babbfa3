// SPDX-License-Identifier: Apache-2.0
// The metrics of a daemon, read by Prometheus' own tool and by its node exporter, where they are installed.

import Support
import Testing

@Suite struct MetricsReaderTests {
  private static func has(_ program: String) async -> Bool {
    await HelperProcess.status(of: [program, "--version"]) == 0
  }

  private func metrics(_ bench: DaemonBench) async throws -> (text: String, folder: FreshFolder) {
    let daemon = try await bench.start()
    let text = try await bench.tool("metrics").output
    try await bench.stop(daemon)
    let folder = try FreshFolder()
    try folder.write(Array(text.utf8), to: "darkroom.prom")
    return (text, folder)
  }

  @Test(.enabled("promtool is not installed") { await has("promtool") })
  func `promtool has no complaint about the metrics`() async throws {
    try await DaemonBench.use { bench in
      let (_, folder) = try await metrics(bench)
      let check = "promtool check metrics <\(folder.path)/darkroom.prom"
      #expect(await HelperProcess.status(of: ["sh", "-c", check]) == 0)
      // It goes with its value.
      withExtendedLifetime(folder) {}
    }
  }

  @Test(
    .enabled("prometheus-node-exporter is not installed") { await has("prometheus-node-exporter") })
  func `a node exporter shows each family with its type and its help`() async throws {
    try await DaemonBench.use { bench in
      let (text, folder) = try await metrics(bench)
      let exported = try await exported(folder)
      #expect(exported.contains("\nnode_textfile_scrape_error 0\n"))
      let heads = text.split(separator: "\n").filter { $0.hasPrefix("#") }
      #expect(heads.count > 40)
      for line in heads { #expect(exported.contains("\n\(line)\n"), "\(line)") }
    }
  }

  /// The page of a node exporter whose textfile collector reads this folder.
  private func exported(_ folder: FreshFolder) async throws -> String {
    let script = """
      import re, subprocess, sys, urllib.request
      exporter = subprocess.Popen(
        ["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
         "--collector.textfile.directory=" + sys.argv[1], "--web.listen-address=127.0.0.1:0"],
        stderr=subprocess.PIPE, text=True)
      try:
        for line in exporter.stderr:
          found = re.search(r"address=(127\\.0\\.0\\.1:[1-9][0-9]*)", line)
          if found:
            page = urllib.request.urlopen("http://" + found.group(1) + "/metrics").read()
            open(sys.argv[1] + "/page", "wb").write(page)
            break
      finally:
        exporter.terminate()
        exporter.wait()
      """
    let status = await HelperProcess.status(of: ["/usr/bin/python3", "-c", script, folder.path])
    #expect(status == 0)
    return "\n" + String(decoding: try #require(folder.bytes(of: "page")), as: UTF8.self)
  }
}
