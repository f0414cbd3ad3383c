// swift-tools-version:6.1
import PackageDescription

// Worth 8 to 15 per cent where values are evaluated. Not for Reactive, which others may depend on.
let unchecked: [SwiftSetting] = [
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

// For modules where little time is spent.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

// `make crash` builds a command that can be killed at named points: see Sources/System/Files/CrashPoint.swift.
let hasCrashPoints = Context.environment["FLOW_CRASH_POINTS"] != nil
let crashPoints: [SwiftSetting] = hasCrashPoints ? [.define("CRASH_POINTS")] : []

let package = Package(
  name: "flow",
  products: [
    .executable(name: "flow", targets: ["flow"]),
    .library(name: "Reactive", targets: ["Reactive"]),
    .library(name: "ReactiveTesting", targets: ["ReactiveTesting"]),
    .library(name: "JSON", targets: ["JSON"]),  // for Tests/Fuzz, which is a package of its own
    .library(name: "Markup", targets: ["Markup"]),  // for the same
    .library(name: "Decode", targets: ["Decode"]),  // for the same
    .library(name: "Store", targets: ["Store"]),  // for bench, which is another
  ],
  targets: [
    .target(name: "CArguments"),  // the arguments of the process, also without /proc
    .target(name: "CLoading"),  // loads a library when it is asked for: all of these
    .target(name: "CCurl", dependencies: ["CLoading"]),  // libcurl
    .target(name: "CGumbo", dependencies: ["CLoading"]),  // libgumbo
    .target(name: "CMQTT", dependencies: ["CLoading"]),  // libmosquitto
    .target(name: "CNats", dependencies: ["CLoading"]),  // libnats
    .target(name: "CPQ", dependencies: ["CLoading"]),  // libpq
    .target(name: "CXML2", dependencies: ["CLoading"]),  // libxml2
    .target(name: "CMicrohttpd", dependencies: ["CLoading"]),  // libmicrohttpd
    // Their module maps link them. With pkg-config SwiftPM would warn users of Reactive alone of each that is missing;
    // make setup installs them.
    .systemLibrary(name: "CGlibc", path: "Sources/CGlibc"),
    .systemLibrary(name: "COnig", path: "Sources/COnig"),
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
    .systemLibrary(name: "CYAML", path: "Sources/CYAML"),
    .systemLibrary(name: "CZ", path: "Sources/CZ"),
    .target(name: "Reactive", exclude: ["README.md"]),
    // For the tests of those who use Reactive; no part of the command.
    .target(name: "ReactiveTesting", dependencies: ["Reactive"]),
    // The jq language (JSON/JQ) is in this target too: the evaluator reads the tape on its hot path, and a module
    // boundary there costs 18 to 31 per cent.
    .target(
      name: "JSON", dependencies: ["CGlibc", "COnig"], exclude: ["JQ/README.md"],
      swiftSettings: unchecked),
    .target(
      name: "System", dependencies: ["CGlibc", "CZ", "Reactive"],
      swiftSettings: unchecked + crashPoints + small),
    .target(
      name: "Store", dependencies: ["CGlibc", "CSQLite", "System"], swiftSettings: unchecked + crashPoints),
    // What the servers of the sky and of pages share.
    .target(name: "Server", dependencies: ["CMicrohttpd", "Reactive"], swiftSettings: small),
    .target(
      name: "Sky", dependencies: ["CGlibc", "CMicrohttpd", "CZ", "JSON", "Reactive", "Server", "System"],
      resources: [
        .embedInCode("Data/agencies.txt"), .embedInCode("Data/apod.json"), .embedInCode("Data/launches.json"),
        .embedInCode("Data/spacex.json"),
      ],
      swiftSettings: unchecked + small),
    .target(
      name: "Fetch", dependencies: ["CCurl", "CGlibc", "JSON", "Reactive", "Store", "System"],
      swiftSettings: unchecked + small),
    // Chromium, as a transport of Fetch.
    .target(
      name: "Browser", dependencies: ["CGlibc", "Fetch", "JSON", "Reactive", "Server", "System"],
      swiftSettings: unchecked + small),
    .target(
      name: "NATS", dependencies: ["CNats", "JSON", "Reactive", "System"], swiftSettings: unchecked + small),
    .target(
      name: "Cluster", dependencies: ["JSON", "NATS", "Reactive", "Store", "System"],
      swiftSettings: unchecked + small
    ),
    .target(
      name: "Language", dependencies: ["CYAML", "JSON", "System"],
      resources: [.embedInCode("Reference/Topics")], swiftSettings: unchecked + small),
    .target(
      name: "Markup", dependencies: ["CGumbo", "CXML2", "JSON", "System"], swiftSettings: unchecked + small),
    .target(
      name: "Decode", dependencies: ["CGlibc", "JSON", "Language", "Markup", "Reactive", "System"],
      swiftSettings: unchecked),
    .target(
      name: "Page",
      dependencies: ["CMicrohttpd", "Engine", "JSON", "Language", "Reactive", "Server", "System"],
      resources: [
        .embedInCode("Assets/page.js"), .embedInCode("Assets/page.css"), .embedInCode("Assets/icon.svg"),
      ],
      swiftSettings: unchecked + small),
    .target(
      name: "Engine", dependencies: ["CGlibc", "JSON", "Language", "Reactive", "Store", "System"],
      swiftSettings: unchecked),
    // The way to the world that sources and sinks share: queue, transports, web access, lists of addresses.
    .target(
      name: "Delivery",
      dependencies: [
        "CGlibc", "Decode", "Engine", "Fetch", "JSON", "Language", "Reactive", "Store", "System",
      ],
      swiftSettings: unchecked),
    // Side by side, so that they compile at once.
    .target(
      name: "Nodes",
      dependencies: [
        "CGlibc", "Decode", "Delivery", "Engine", "Fetch", "JSON", "Language", "Reactive", "Store", "System",
      ],
      resources: [.embedInCode("Reference")], swiftSettings: unchecked),
    .target(
      name: "Connectors",
      dependencies: [
        "CGlibc", "CMQTT", "CMicrohttpd", "CPQ", "Decode", "Delivery", "Engine", "Fetch", "JSON", "Language",
        "NATS", "Page", "Reactive", "Server", "Store", "System",
      ],
      resources: [.embedInCode("Reference")], swiftSettings: unchecked),
    .target(name: "AllNodes", dependencies: ["Connectors", "Engine", "Language", "Nodes"]),
    .executableTarget(
      name: "flow",
      dependencies: [
        "AllNodes", "Browser", "CArguments", "CMicrohttpd", "Cluster", "Connectors", "Decode", "Delivery",
        "Engine",
        "Fetch", "JSON", "Language", "Markup", "NATS", "Nodes", "Page", "Reactive", "Server", "Sky", "Store",
        "System",
      ],
      resources: [
        .embedInCode("Commands/Pipelines/Pick/Assets/pick.html"),
        .embedInCode("Commands/Pipelines/Pick/Assets/pick.js"),
        .embedInCode("Commands/Pipelines/Pick/Assets/pick.css"),
      ],
      swiftSettings: unchecked + small
    ),
    // For tests alone: comparisons that compile fast and say what differs.
    .target(name: "Expectations", path: "Tests/Support/Expectations"),
    // For tests alone: how much work repeated tests do.
    .target(name: "TestScale", path: "Tests/Support/TestScale"),
    // For tests alone: files and SQLite on a disk that crashes.
    .target(
      name: "SimulatedDisk", dependencies: ["CSQLite", "Reactive", "Store", "System"],
      path: "Tests/Support/SimulatedDisk"),
    // For tests alone: the journal of a cluster, in memory, with faults.
    .target(
      name: "SimulatedJournal", dependencies: ["Cluster", "Reactive"],
      path: "Tests/Support/SimulatedJournal"),
    // For tests alone: a server on the loopback.
    .target(name: "Loopback", dependencies: ["Reactive", "TestSupport"], path: "Tests/Support/Loopback"),
    // For tests alone: folders, waiting, what several threads have noted.
    .target(
      name: "TestSupport", dependencies: ["CGlibc", "CZ", "Reactive", "System"],
      path: "Tests/Support/TestSupport"),
    // For tests alone: steps and pipelines in virtual time, described by text, with state that is killed.
    .target(
      name: "Trials",
      dependencies: [
        "AllNodes", "Delivery", "Engine", "Fetch", "JSON", "Language", "Loopback", "Reactive", "Store",
        "System",
        "TestSupport",
      ],
      path: "Tests/Support/Trials"),
    .testTarget(
      name: "ReactiveTests", dependencies: ["Expectations", "Reactive", "ReactiveTesting", "TestScale"]),
    .testTarget(name: "ReactiveTestingTests", dependencies: ["Expectations", "Reactive", "ReactiveTesting"]),
    .testTarget(
      name: "TidyTests", dependencies: ["Expectations"], path: "Tests/Tidy", exclude: ["ratchet.txt"]),
    .testTarget(name: "SystemTests", dependencies: ["Expectations", "Reactive", "System", "TestSupport"]),
    .testTarget(name: "JSONTests", dependencies: ["Expectations", "JSON", "Reactive", "TestSupport"]),
    .testTarget(
      name: "MarkupTests", dependencies: ["Expectations", "JSON", "Markup", "System", "TestScale"]),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "Expectations", "CSQLite", "Reactive", "SimulatedDisk", "Store", "System", "TestScale", "TestSupport",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "FetchTests",
      dependencies: [
        "Expectations",
        "CGlibc", "CZ", "Fetch", "JSON", "Loopback", "Reactive", "Store", "System", "TestScale",
        "TestSupport",
      ]),
    .testTarget(
      name: "BrowserTests",
      dependencies: [
        "Browser", "Expectations", "Fetch", "JSON", "Loopback", "Reactive", "System", "TestScale",
        "TestSupport",
      ]),
    .testTarget(
      name: "FlowTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Connectors", "Delivery", "Engine", "JSON", "Language", "Loopback", "Nodes", "Reactive",
        "Store", "System", "TestScale", "TestSupport", "flow",
      ],
      exclude: ["Mistakes", "Upgrades"]),
    .testTarget(
      name: "LanguageTests",
      dependencies: ["Expectations", "JSON", "Language", "Reactive", "System", "TestScale", "TestSupport"]),
    .testTarget(
      name: "EngineTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Engine", "JSON", "Language", "Nodes", "Reactive", "Store", "System", "TestScale",
        "TestSupport", "Trials",
      ]),
    .testTarget(
      name: "DecodeTests",
      dependencies: [
        "Expectations", "Decode", "JSON", "Language", "Markup", "Reactive", "System", "TestSupport",
      ]),
    .testTarget(
      name: "DeliveryTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Connectors", "Decode", "Delivery", "Engine", "Fetch", "JSON", "Language", "Loopback",
        "Reactive", "Store", "System", "TestSupport", "Trials",
      ],
      exclude: ["Paging/Answers"]),
    .testTarget(
      name: "NodesTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Decode", "Delivery", "Engine", "Fetch", "JSON", "Language", "Loopback", "Nodes",
        "Reactive", "ReactiveTesting", "SimulatedDisk", "Store", "System", "TestScale", "TestSupport",
        "Trials",
      ]),
    .testTarget(
      name: "ConnectorsTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Connectors", "Decode", "Delivery", "Engine", "Fetch", "JSON", "Language", "Loopback",
        "Nodes", "Page", "Reactive", "Server", "Store", "System", "TestScale", "TestSupport", "Trials",
      ]),
    // What every node must keep to.
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Connectors", "Delivery", "Engine", "Fetch", "JSON", "Language", "Loopback", "Nodes",
        "Reactive", "ReactiveTesting", "Store", "System", "TestScale", "TestSupport", "Trials",
      ]),
    .testTarget(
      name: "PageTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Engine", "JSON", "Language", "Nodes", "Page", "Reactive", "Server", "Store", "System",
        "TestSupport",
      ]),
    .testTarget(
      name: "NATSTests",
      dependencies: [
        "Expectations",
        "AllNodes", "CLoading", "CNats", "Cluster", "Connectors", "Delivery", "JSON", "Loopback", "NATS",
        "Nodes",
        "Reactive", "Store", "System", "TestSupport", "flow",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "ClusterTests",
      dependencies: [
        "Expectations",
        "Cluster", "JSON", "Reactive", "SimulatedDisk", "SimulatedJournal", "Store", "System", "TestScale",
        "TestSupport",
      ],
      exclude: ["Released"]),
    .testTarget(
      name: "SkyTests",
      dependencies: ["Expectations", "CZ", "Fetch", "JSON", "Reactive", "Sky", "Store", "System"]),
    .testTarget(
      name: "MonthTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Delivery", "Engine", "Fetch", "JSON", "Language", "Nodes", "Reactive", "Sky", "Store",
        "System",
      ],
      path: "Tests/Months"),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "Expectations", "flow", "Loopback", "Reactive", "Store", "System", "TestScale", "TestSupport",
      ],
      path: "Tests/Crash"),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "Expectations",
        "AllNodes", "Cluster", "Engine", "JSON", "Language", "Nodes", "Reactive", "SimulatedDisk",
        "SimulatedJournal", "Store", "System", "TestScale", "Trials",
      ],
      path: "Tests/Simulation"),
  ],
  swiftLanguageModes: [.v6]
)

if hasCrashPoints { package.targets.removeAll { $0.type == .test && $0.name != "CrashTests" } }

// `make test-one`: SwiftPM links all test targets into one product, so a change deep down compiles every one of them
// before a single test runs. FLOW_TESTS names the targets to keep, separated by commas.
if let kept = Context.environment["FLOW_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !kept.contains($0.name) }
}
