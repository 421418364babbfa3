// swift-tools-version:6.2
// SPDX-License-Identifier: Apache-2.0
//
// The targets stand in the order of the data's way: a list is accepted, catalogued, chained, its
// photos downloaded, filtered, put out, and each step recorded and reported; people steer. Below the
// stages lies the edge (Sources/System), below that the words all speak (Vocabulary).
// No stage names a stage: `make` builds with the explicit import check, and RepositoryTests watch too.

import PackageDescription

let stages: [Target] = [
  .target(name: "Accept", dependencies: ["Digests", "Linux", "Vocabulary"]),
  .target(
    name: "Catalog", dependencies: ["Digests", "Vocabulary"], exclude: ["Catalog-format.md"]),
  .target(name: "Chain", dependencies: ["Linux", "Queues", "Vocabulary"]),
  .target(name: "Download", dependencies: ["Digests", "Vocabulary"]),
  .target(name: "Filter", dependencies: ["Codecs", "Vocabulary"]),
  .target(name: "Output", dependencies: ["Vocabulary"]),
  .target(
    name: "Record", dependencies: ["Digests", "Linux", "Vocabulary"],
    exclude: ["Journal-format.md"]),
  .target(name: "Report", dependencies: ["Journald", "Linux", "Vocabulary"]),
  .target(name: "Steer", dependencies: ["Linux", "Vocabulary"]),
]

let edge: [Target] = [
  .target(name: "Codecs", dependencies: ["CCodecs", "Vocabulary"], path: "Sources/System/Codecs"),
  .target(name: "Digests", dependencies: ["CDigests"], path: "Sources/System/Digests"),
  .target(
    name: "Journald", dependencies: ["Linux", "Vocabulary"], path: "Sources/System/Journald"),
  .target(name: "Linux", dependencies: ["CLinux", "Vocabulary"], path: "Sources/System/Linux"),
  .target(name: "Markup", dependencies: ["CExpat"], path: "Sources/System/Markup"),
  .target(name: "Queues", path: "Sources/System/Queues"),
  .target(
    name: "Transfer", dependencies: ["CCurl", "Linux", "Vocabulary"],
    path: "Sources/System/Transfer"),
  .target(
    name: "Worker", dependencies: ["CLinux", "Linux", "Vocabulary"], path: "Sources/System/Worker"),
]

/// C that Swift cannot import as it is: variadic calls, hidden constants, longjmp.
let shims: [Target] = [
  .target(
    name: "CCodecs", path: "Sources/System/CCodecs",
    // libpng brings zlib.
    linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png"), .linkedLibrary("z")]),
  .target(name: "CDigests", path: "Sources/System/CDigests"),
  .target(name: "CLinux", path: "Sources/System/CLinux"),
  .target(name: "CPrograms", path: "Tests/CPrograms"),
  .target(
    name: "CSamples", path: "Tests/CSamples",
    linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png")]),
  .systemLibrary(
    name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev"])]),
  .systemLibrary(
    name: "CExpat", path: "Sources/System/CExpat", pkgConfig: "expat",
    providers: [.apt(["libexpat1-dev"])]),
]

let words: [Target] = [.target(name: "Vocabulary")]

let executables: [Target] = [
  .executableTarget(
    name: "darkroomd",
    dependencies: [
      "Accept", "Catalog", "Chain", "Digests", "Download", "Journald", "Linux", "Output", "Record",
      "Report", "Steer", "Transfer", "Vocabulary", "Worker",
    ]),
  .executableTarget(
    name: "darkroom-worker",
    dependencies: ["Catalog", "Codecs", "Filter", "Linux", "Markup", "Vocabulary", "Worker"]),
  .executableTarget(
    name: "darkroomctl",
    dependencies: ["Catalog", "Linux", "Output", "Steer", "Vocabulary", "Worker"]),
]

/// What `make bench` runs beside the product.
let benchmarks: [Target] = [
  .executableTarget(
    name: "darkroom-bench-fetch",
    dependencies: ["Download", "Linux", "Record", "Transfer", "Vocabulary"],
    path: "Benchmarks/Fetch")
]

/// Tests mirror the targets; the edge has one of its own, and the whole daemon another.
let tests: [Target] = [
  .target(
    name: "Support",
    dependencies: ["CPrograms", "CSamples", "Catalog", "Linux", "Markup", "Vocabulary"],
    path: "Tests/Support", exclude: ["multiplex.py", "origin.py"]),
  // A worker that misbehaves on demand, and what it tries: for EdgeTests.
  .executableTarget(
    name: "darkroom-test-worker",
    dependencies: ["CAttempts", "Catalog", "Linux", "Vocabulary", "Worker"],
    path: "Tests/TestWorker"),
  .target(name: "CAttempts", path: "Tests/Attempts"),
  .testTarget(
    name: "AcceptTests", dependencies: ["Accept", "Digests", "Linux", "Support", "Vocabulary"]),
  .testTarget(
    name: "CatalogTests", dependencies: ["Catalog", "Digests", "Support", "Vocabulary"]),
  .testTarget(name: "ChainTests", dependencies: ["Chain", "Support", "Vocabulary"]),
  .testTarget(
    name: "DownloadTests", dependencies: ["Digests", "Download", "Linux", "Support", "Vocabulary"]),
  .testTarget(
    name: "FilterTests", dependencies: ["Codecs", "Filter", "Linux", "Support", "Vocabulary"]),
  .testTarget(name: "OutputTests", dependencies: ["Output", "Support", "Vocabulary"]),
  .testTarget(
    name: "RecordTests", dependencies: ["Digests", "Linux", "Record", "Support", "Vocabulary"]),
  .testTarget(
    name: "ReportTests", dependencies: ["Journald", "Linux", "Report", "Support", "Vocabulary"]),
  .testTarget(
    name: "SteerTests", dependencies: ["Linux", "Steer", "Support", "Vocabulary", "darkroomctl"]),
  .testTarget(name: "VocabularyTests", dependencies: ["Vocabulary"]),
  .testTarget(
    name: "EdgeTests",
    dependencies: [
      "CAttempts", "Codecs", "Digests", "Linux", "Support", "Transfer", "Vocabulary", "Worker",
    ]),
  .testTarget(
    name: "DaemonTests",
    dependencies: ["Digests", "Linux", "Steer", "Support", "Vocabulary", "darkroomd"]),
  .testTarget(name: "CrashTests", dependencies: ["Linux", "Support", "Vocabulary"]),
  .testTarget(name: "SystemTests", dependencies: ["Support"], exclude: ["container"]),
  .testTarget(name: "RepositoryTests", dependencies: ["Support", "darkroomd"]),
  // What bytes from outside must not do to us: `make fuzz` tries new bytes, FuzzTests the old ones.
  .target(
    name: "FuzzTargets",
    dependencies: [
      "Catalog", "Codecs", "Digests", "Filter", "Record", "Steer", "Support", "Vocabulary",
      "Worker",
    ], path: "Tests/Fuzz/Targets"),
  .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
]

let package = Package(
  name: "darkroom",
  products: [
    .executable(name: "darkroomd", targets: ["darkroomd"]),
    .executable(name: "darkroomctl", targets: ["darkroomctl"]),
    .executable(name: "darkroom-worker", targets: ["darkroom-worker"]),
  ],
  targets: stages + edge + shims + words + executables + benchmarks + tests
)

// Links only with libFuzzer beside it, as `make fuzz` builds it.
if Context.environment["DARKROOM_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "darkroom-fuzz",
      dependencies: [
        "Catalog", "Digests", "FuzzTargets", "Record", "Support", "Vocabulary", "Worker",
      ],
      path: "Tests/Fuzz/Program"))
}

// Half of the time a program takes to start: symbols of the C++ runtime looked up (etc/link has it
// linked statically), and what `-export-dynamic` keeps alive though nobody loads it from us.
let quickStart = [
  "-L\(Context.packageDirectory)/etc/link", "-Xclang-linker", "-static-libgcc",
  "-Xlinker", "--no-export-dynamic",
]
// A worker is started for each list and each `darkroomctl develop`: with all libraries inside it starts
// in two thirds of the time, and libjpeg finds its threads' variables without a call. Its addresses stay
// random: that kind of static program, and short tables for it, are what lld can link and gold cannot;
// `now` closes the last of its tables to writing. The price: a library's update reaches workers with the
// next build alone.
let allInside = [
  "-static-executable", "-Xclang-linker", "-static-pie", "-use-ld=lld",
  "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "-z", "-Xlinker", "now",
]
let linked = ["darkroomctl": quickStart, "darkroom-worker": allInside]
for target in executables {
  guard let flags = linked[target.name] else { continue }
  target.linkerSettings = [.unsafeFlags(flags, .when(configuration: .release))]
}

// One loop sets every Swift target's settings.
let notSwift = Set(shims.map(\.name) + ["CAttempts"])
for target in package.targets where !notSwift.contains(target.name) {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),  // what is not memory safe says `unsafe`, and says it in the edge alone
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
}
