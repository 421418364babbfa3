// swift-tools-version:6.2
// SPDX-License-Identifier: Apache-2.0
//
// The targets follow the data: a list is accepted, catalogued and chained, its photos are downloaded, filtered
// and output, each step is recorded and reported, and the list is returned; users steer. Below the stages is
// the edge (Sources/System), below that the shared types (Vocabulary). No stage imports another stage: `make`
// builds with the explicit import check, and RepositoryTests check it, too.

import PackageDescription

let stages: [Target] = [
  .target(name: "Accept", dependencies: ["Digests", "Files", "Linux", "Vocabulary"]),
  .target(
    name: "Catalog", dependencies: ["Digests", "JSON", "Markup", "Vocabulary"],
    exclude: ["Catalog-format.md"]),
  .target(name: "Cluster", dependencies: ["Linux", "Postgres", "Vocabulary"]),
  .target(name: "Chain", dependencies: ["Linux", "Queues", "Vocabulary"]),
  .target(name: "Download", dependencies: ["Digests", "Files", "Linux", "Vocabulary"]),
  .target(name: "Filter", dependencies: ["Codecs", "Inflate", "Vocabulary"]),
  .target(name: "Output", dependencies: ["Files", "Vocabulary"]),
  .target(name: "Present", dependencies: ["Vocabulary"]),
  .target(
    name: "Record", dependencies: ["Digests", "Linux", "Vocabulary"],
    exclude: ["Journal-format.md"]),
  .target(name: "Report", dependencies: ["Linux", "Systemd", "Vocabulary"]),
  .target(name: "Return", dependencies: ["Digests", "Files", "Vocabulary"]),
  .target(name: "Show", dependencies: ["HTTP", "Vocabulary"]),
  .target(name: "Steer", dependencies: ["Digests", "JSON", "Linux", "Vocabulary"]),
]

let edge: [Target] = [
  .target(name: "Codecs", dependencies: ["CCodecs", "Vocabulary"], path: "Sources/System/Codecs"),
  .target(
    name: "Digests", dependencies: ["CDigests", "Vocabulary"], path: "Sources/System/Digests"),
  .target(name: "Files", dependencies: ["Digests", "Vocabulary"], path: "Sources/System/Files"),
  .target(
    name: "HTTP", dependencies: ["CMicrohttpd", "Linux", "Vocabulary"], path: "Sources/System/HTTP"),
  .target(name: "Inflate", dependencies: ["CInflate"], path: "Sources/System/Inflate"),
  .target(name: "JSON", path: "Sources/System/JSON"),
  .target(
    name: "JournalReader", dependencies: ["CJournal", "CLinux", "Linux", "Vocabulary"],
    path: "Sources/System/JournalReader"),
  .target(name: "Linux", dependencies: ["CLinux", "Vocabulary"], path: "Sources/System/Linux"),
  .target(name: "Markup", dependencies: ["CExpat"], path: "Sources/System/Markup"),
  .target(
    name: "Postgres", dependencies: ["CPostgres", "Linux", "Vocabulary"],
    path: "Sources/System/Postgres"),
  .target(name: "Queues", dependencies: ["Vocabulary"], path: "Sources/System/Queues"),
  .target(
    name: "Systemd", dependencies: ["CSystemd", "Linux", "Vocabulary"],
    path: "Sources/System/Systemd"),
  .target(
    name: "Transfer",
    dependencies: [
      "CCurl", "Digests", "Files", "Inflate", "Linux", "Markup", "Queues", "Vocabulary",
    ],
    path: "Sources/System/Transfer"),
  .target(
    name: "Worker", dependencies: ["CLinux", "Linux", "Vocabulary"], path: "Sources/System/Worker"),
]

/// C for calls that Swift cannot import: variadic functions, hidden constants, longjmp.
let shims: [Target] = [
  .target(
    name: "CCodecs", path: "Sources/System/CCodecs",
    // libpng needs zlib.
    linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png"), .linkedLibrary("z")]),
  .target(name: "CDigests", path: "Sources/System/CDigests"),
  .target(
    name: "CInflate", path: "Sources/System/CInflate", linkerSettings: [.linkedLibrary("z")]),
  .target(name: "CJournal", path: "Sources/System/CJournal"),
  .target(name: "CLinux", path: "Sources/System/CLinux"),
  .target(name: "CPostgres", path: "Sources/System/CPostgres"),
  .target(name: "CPrograms", path: "Tests/CPrograms"),
  .target(
    name: "CSamples", path: "Tests/CSamples",
    linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png")]),
  .systemLibrary(
    name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev", "libssl-dev"])]),
  .systemLibrary(
    name: "CExpat", path: "Sources/System/CExpat",
    providers: [.apt(["libexpat1-dev"])]),
  .systemLibrary(
    name: "CMicrohttpd", path: "Sources/System/CMicrohttpd", pkgConfig: "libmicrohttpd",
    providers: [.apt(["libmicrohttpd-dev"])]),
  .systemLibrary(
    name: "CSystemd", path: "Sources/System/CSystemd", pkgConfig: "libsystemd",
    providers: [.apt(["libsystemd-dev"])]),
]

let words: [Target] = [.target(name: "Vocabulary")]

let executables: [Target] = [
  .executableTarget(
    name: "darkroomd",
    dependencies: [
      "Accept", "Catalog", "Chain", "Cluster", "Digests", "Download", "Files", "Linux", "Output",
      "Present", "Record", "Report", "Return", "Steer", "Systemd", "Transfer", "Vocabulary",
      "Worker",
    ]),
  .executableTarget(
    name: "darkroom-worker",
    dependencies: ["Catalog", "Codecs", "Filter", "Linux", "Vocabulary", "Worker"]),
  .executableTarget(
    name: "darkroom-web",
    dependencies: ["HTTP", "Linux", "Show", "Steer", "Systemd", "Vocabulary"]),
  .executableTarget(
    name: "darkroomctl",
    dependencies: [
      "Catalog", "Digests", "Files", "JournalReader", "Linux", "Output", "Record", "Steer",
      "Vocabulary", "Worker",
    ]),
]

/// Programs of `make bench` that are not part of the product.
let benchmarks: [Target] = [
  .executableTarget(
    name: "darkroom-bench-fetch",
    dependencies: ["Download", "Linux", "Record", "Transfer", "Vocabulary"],
    path: "Benchmarks/Fetch"),
  .executableTarget(
    name: "darkroom-bench-record", dependencies: ["Linux", "Record", "Vocabulary"],
    path: "Benchmarks/Record"),
  .executableTarget(
    name: "darkroom-bench-cluster", dependencies: ["Cluster", "Linux", "Vocabulary"],
    path: "Benchmarks/Cluster"),
]

/// Tests mirror the targets. EdgeTests cover the edge, DaemonTests the whole daemon as a process.
let tests: [Target] = [
  .target(
    name: "Support",
    dependencies: [
      "CCodecs", "CLinux", "CPrograms", "CSamples", "Digests", "Linux", "Postgres", "Vocabulary",
    ],
    path: "Tests/Support",
    exclude: [
      "cutter.py", "false_postgres.py", "hook.sh", "multiplex.py", "origin.py", "proxy.py",
      "store.py",
    ]),
  // For EdgeTests: a worker that misbehaves on demand, and its attempts.
  .executableTarget(
    name: "darkroom-test-worker",
    dependencies: ["CAttempts", "Catalog", "Linux", "Vocabulary", "Worker"],
    path: "Tests/TestWorker"),
  .target(name: "CAttempts", path: "Tests/Attempts"),
  // For Tests/Torture/powercuts.py: starts the record of many state folders.
  .executableTarget(
    name: "darkroom-recovery-probe", dependencies: ["Linux", "Record", "Steer", "Vocabulary"],
    path: "Tests/RecoveryProbe"),
  .testTarget(
    name: "AcceptTests",
    dependencies: ["Accept", "Digests", "Files", "Linux", "Support", "Vocabulary"]),
  .testTarget(
    name: "CatalogTests",
    dependencies: ["CExpat", "Catalog", "Digests", "JSON", "Markup", "Support", "Vocabulary"]),
  // The oracle of the ledger.
  .target(
    name: "ClusterModel", dependencies: ["Cluster", "Vocabulary"], path: "Tests/ClusterModel"),
  .testTarget(
    name: "ClusterTests",
    dependencies: [
      "Chain", "Cluster", "ClusterModel", "Linux", "Postgres", "Support", "Vocabulary",
    ],
    exclude: ["Ledgers"]),
  .testTarget(name: "ChainTests", dependencies: ["Chain", "Record", "Support", "Vocabulary"]),
  .testTarget(
    name: "DownloadTests",
    dependencies: ["Digests", "Download", "Linux", "Support", "Transfer", "Vocabulary"]),
  .testTarget(
    name: "FilterTests",
    dependencies: ["Codecs", "Filter", "Inflate", "Linux", "Support", "Vocabulary"]),
  .testTarget(name: "OutputTests", dependencies: ["Linux", "Output", "Support", "Vocabulary"]),
  .testTarget(name: "PresentTests", dependencies: ["Present", "Vocabulary"]),
  // In headless Chromium.
  .testTarget(
    name: "BrowserTests",
    dependencies: ["Digests", "Filter", "Linux", "Present", "Steer", "Support", "Vocabulary"],
    exclude: ["Golden"]),
  .testTarget(
    name: "RecordTests", dependencies: ["Digests", "Linux", "Record", "Support", "Vocabulary"]),
  .testTarget(
    name: "ReportTests", dependencies: ["Linux", "Report", "Support", "Systemd", "Vocabulary"],
    exclude: ["Records.txt"]),
  .testTarget(
    name: "ReturnTests",
    dependencies: ["Files", "Linux", "Return", "Support", "Vocabulary"]),
  .testTarget(
    name: "SteerTests",
    dependencies: [
      "Catalog", "Digests", "JSON", "JournalReader", "Linux", "Steer", "Support", "Vocabulary",
      "darkroomctl",
    ],
    exclude: ["Screens"]),
  .testTarget(
    name: "WebTests", dependencies: ["HTTP", "Linux", "Show", "Support", "Vocabulary"]),
  .testTarget(name: "VocabularyTests", dependencies: ["Support", "Vocabulary"]),
  .testTarget(
    name: "EdgeTests",
    dependencies: [
      "CAttempts", "CCurl", "Digests", "Files", "Linux", "Support", "Transfer", "Vocabulary",
      "Worker",
    ]),
  .testTarget(
    name: "DaemonTests",
    dependencies: ["Digests", "Linux", "Steer", "Support", "Vocabulary", "darkroomd"]),
  // Several daemons with a real PostgreSQL.
  .testTarget(
    name: "NodeTests",
    dependencies: [
      "Cluster", "Digests", "Linux", "Postgres", "Record", "Steer", "Support", "Vocabulary",
      "darkroomd",
    ]),
  .testTarget(
    name: "DarkroomdTests",
    dependencies: [
      "Accept", "Catalog", "Chain", "Cluster", "ClusterModel", "Digests", "Download", "Files",
      "Filter", "Linux", "Output", "Present", "Record", "Report", "Return", "Steer", "Support",
      "Systemd", "Vocabulary", "Worker", "darkroomd",
    ],
    exclude: ["Privacy.txt"]),
  .testTarget(name: "CrashTests", dependencies: ["Linux", "Support", "Vocabulary"]),
  .testTarget(name: "SystemTests", dependencies: ["Support"], exclude: ["container"]),
  .testTarget(name: "RepositoryTests", dependencies: ["Support"]),
  // The checks of readers of untrusted bytes: `make fuzz` tries new input, FuzzTests the corpus.
  .target(
    name: "FuzzTargets",
    dependencies: [
      "Catalog", "Codecs", "Digests", "Filter", "HTTP", "Inflate", "Record", "Show", "Steer",
      "Support", "Transfer", "Vocabulary", "Worker",
    ], path: "Tests/Fuzz/Targets"),
  .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "Support"]),
]

let package = Package(
  name: "darkroom",
  products: [
    .executable(name: "darkroomd", targets: ["darkroomd"]),
    .executable(name: "darkroomctl", targets: ["darkroomctl"]),
    .executable(name: "darkroom-web", targets: ["darkroom-web"]),
    .executable(name: "darkroom-worker", targets: ["darkroom-worker"]),
  ],
  targets: stages + edge + shims + words + executables + benchmarks + tests
)

// `make try ONLY=Chain,Record`: ChainTests and RecordTests, with the targets that they need. `make` and `make run`: the
// four programs alone.
if let only = Context.environment["DARKROOM_ONLY"] {
  var needed =
    only == "programs"
    ? executables.map(\.name) : only.split(separator: ",").map { "\($0)Tests" }
  for name in needed where !package.targets.contains(where: { $0.name == name }) {
    fatalError("there is no test target '\(name)'")
  }
  var next = 0
  while next < needed.count {
    let target = package.targets.first { $0.name == needed[next] }
    for case .byNameItem(let name, _) in target?.dependencies ?? [] where !needed.contains(name) {
      needed.append(name)
    }
    next += 1
  }
  package.targets.removeAll { !needed.contains($0.name) }
  if only != "programs" { package.products = [] }
}

// The programs of `make fuzz`. The first links only with libFuzzer.
if Context.environment["DARKROOM_FUZZ"] != nil {
  package.targets += [
    .executableTarget(
      name: "darkroom-fuzz",
      dependencies: [
        "Catalog", "Digests", "FuzzTargets", "Record", "Support", "Vocabulary", "Worker",
      ],
      path: "Tests/Fuzz/Program"),
    .executableTarget(
      name: "darkroom-mutate", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Mutate"),
  ]
}

// The linker makes the last of the tables that it fills read-only, before the first line of the program runs.
let now = ["-Xlinker", "-z", "-Xlinker", "now"]
// Every program contains the Swift runtime. Tool, worker and web server contain the C++ runtime below it, too (etc/link),
// whose shared form has 2,000 symbols to look up: that takes half of the start-up time, and a MiB. Without `-export-dynamic` the linker
// drops symbols that no library uses.
let quickStart = [
  "-L\(Context.packageDirectory)/etc/link", "-Xclang-linker", "-static-libgcc",
  "-Xlinker", "--no-export-dynamic",
]
// The libraries that read untrusted bytes are shared, so that their security updates reach the next worker.
// `make STATIC=1`: the worker contains all libraries. A start takes 0.6 ms less, and libjpeg reaches its thread-local
// variables without a call. Its addresses stay random (static-pie); only lld, not gold, links that kind of program
// with packed relocations. The price: an update of a library reaches the workers only with the next build.
let allInside = [
  "-static-executable", "-Xclang-linker", "-static-pie", "-use-ld=lld",
  "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
]
let isStatic = Context.environment["STATIC"] == "1"
let linked = [
  "darkroomd": [], "darkroomctl": quickStart, "darkroom-web": quickStart,
  "darkroom-worker": isStatic ? allInside : quickStart,
]
for target in executables {
  guard let flags = linked[target.name] else { continue }
  target.linkerSettings = [.unsafeFlags(flags + now, .when(configuration: .release))]
}

/// Optimised in debug builds as well.
let hot: Set = [
  "Catalog", "Chain", "ChainTests", "Cluster", "ClusterModel", "DarkroomdTests", "JSON", "Markup",
  "Record", "RecordTests", "Vocabulary", "darkroomd",
]

// One loop sets every Swift target's settings.
let notSwift = Set(shims.map(\.name) + ["CAttempts"])
for target in package.targets where !notSwift.contains(target.name) {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),  // unsafe code is marked `unsafe`, and occurs only in the edge
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
  // Their tests try every bit and every moment. Of what `-O` leaves out, these modules use only `assert`.
  if hot.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
}
