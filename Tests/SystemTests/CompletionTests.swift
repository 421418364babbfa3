// SPDX-License-Identifier: Apache-2.0
// The completions in the shells themselves, with a darkroomctl that answers as the real one does; and the folders that
// the shells look into. A shell that is not installed is left out.

import Foundation
import Support
import Testing

@Suite struct CompletionTests {
  /// Completes `darkroomctl flush ph`, and prints the candidates, a line each.
  private static let scripts = [
    "bash": """
    source /usr/share/bash-completion/bash_completion
    source <($TOOL completion bash)
    COMP_WORDS=(darkroomctl flush ph) COMP_CWORD=2
    _darkroomctl
    printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "zsh": """
    _arguments() { state=argument line=(flush) }
    _describe() { local all=(${(P)2}); print -l -- ${${(M)all:#ph*}%%:*} }
    source <($TOOL completion zsh)
    """,
    "fish": """
    $TOOL completion fish | source
    complete -C 'darkroomctl flush ph' | cut -f 1
    """,
  ]

  private static func isInstalled(_ shell: String) -> Bool {
    (try? Run([shell, "-c", "exit 0"]))?.status == 0
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `flush completes the hosts that downloads wait for`(shell: String) throws {
    if !Self.isInstalled(shell) { try Test.cancel("\(shell) is not installed") }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "darkroom-completion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tool = folder.appending(path: "darkroomctl").path(percentEncoded: false)
    let rows = [
      "state\tready", "host\tphotos.example.org\thttp.status", "host\tpub.example.org\tdns",
      "photosRunning\t2",
    ]
    let answer = rows.map { "printf '%b\\n' '\($0.replacing("\t", with: "\\t"))'\n" }.joined()
    try "#!/bin/sh\n[ \"$1 $2\" = '--plain status' ] || exit 0\n\(answer)"
      .write(toFile: tool, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool)
    let path = "PATH=\(folder.path(percentEncoded: false)):/usr/bin:/bin"
    let script = "cd \(Repository.path(""))\n" + (try #require(Self.scripts[shell]))
    let program = "TOOL=\(DaemonBench.programFolder)/darkroomctl"
    let run = try Run(["env", path, program, shell, "-c", script])
    #expect(run.lines == ["photos.example.org"], "\(run.output)")
  }

  @Test(
    "a shell looks into the folder of its completions, whatever the prefix",
    arguments: [
      ("zsh", "ZSH_COMPLETIONS", "print -l $fpath"),
      ("fish", "FISH_COMPLETIONS", "string join \\n $fish_complete_path"),
    ], ["/usr", "/usr/local", "/opt/darkroom"])
  func folder(look: (shell: String, variable: String, script: String), prefix: String) throws {
    if !Self.isInstalled(look.shell) { try Test.cancel("\(look.shell) is not installed") }
    let shown = try Run([
      "make", "--no-print-directory", "-C", Repository.path(""), "PREFIX=\(prefix)",
      "--eval=shown: ; @echo $(\(look.variable))", "shown",
    ])
    let folders = try Run([look.shell, "-c", look.script])
    let folder = try #require(shown.lines.last, "\(shown.output)")
    #expect(folders.lines.contains(folder), "\(folder) \(folders.output)")
  }
}
