// SPDX-License-Identifier: Apache-2.0
// Starts a browser on an address that is a secret. All users can read the arguments of a program, so the browser gets the
// path of a page that leads to the address, which its user alone can read. A shell removes it when the address has lost
// its use: a browser may take long to start. Raises `SystemError`.

internal import Linux
internal import Steer
internal import Vocabulary

enum BrowserPage {
  private static let script = """
    echo started; exec </dev/null >/dev/null 2>&1
    xdg-open "$1" & sleep "$2"; rm -f -- "$1"
    """

  static func open(_ address: String) throws(SystemError) {
    let path = try write(text(to: address))
    let seconds = "\(ViewTokens.lifetime.components.seconds)"
    _ = try ServerProgram.start(
      "/bin/sh", ["-c", script, "darkroom-open", path, seconds], within: .seconds(2))
  }

  /// The folder of the session ends with it, and other users cannot enter it; elsewhere the name cannot be guessed.
  private static func write(_ text: String) throws(SystemError) -> String {
    let folders = ["XDG_RUNTIME_DIR", "TMPDIR"].compactMap { Surroundings.variable($0) }
      .filter { $0.hasPrefix("/") }
    let folder = folders.first ?? "/tmp"
    let random = String(hex: try ThisProcess.randomBytes(16))
    let name = FileName(made: "darkroom-\(random).html")
    let file = try LinuxFolder.open(path: folder).openFile(name, .create)
    try file.write(Array(text.utf8), at: 0)
    return "\(folder)/\(name)"
  }

  static func text(to address: String) -> String {
    let marks: [Character: String] = [
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]
    let shown = address.map { marks[$0] ?? String($0) }.joined()
    return """
      <!doctype html>
      <meta charset=utf-8>
      <meta name=referrer content=no-referrer>
      <meta http-equiv=refresh content="0;url=\(shown)">
      <title>darkroom</title>

      """
  }
}
