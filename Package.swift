// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "flow",
  products: [
    .executable(name: "flow", targets: ["flow"]),
    .library(name: "JSON", targets: ["JSON"]),
  ],
  targets: [
    .systemLibrary(name: "CGlibc", path: "Sources/CGlibc"),
    .systemLibrary(
      name: "COnig", path: "Sources/COnig", pkgConfig: "oniguruma", providers: [.apt(["libonig-dev"])]),
    // One target, two folders: the evaluator reads the tape on its hot path, and a module boundary there costs
    // 18 to 31 per cent.
    .target(
      name: "JSON", dependencies: ["CGlibc", "COnig"], path: "Sources",
      exclude: ["flow", "CGlibc", "COnig", "JQ/README.md"],
      sources: ["JSON", "JQ"],
      swiftSettings: [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]),
    .executableTarget(
      name: "flow", dependencies: ["JSON"],
      swiftSettings: [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]),
    .testTarget(name: "JSONTests", dependencies: ["JSON"]),
    .testTarget(name: "JQTests", dependencies: ["JSON"]),
    .testTarget(name: "FlowTests", dependencies: ["flow", "JSON"]),
  ],
  swiftLanguageModes: [.v6]
)
