// swift-tools-version:6.1
import PackageDescription

// A package of its own, so that what is measured is used from outside, as anybody would use it.
let package = Package(
  name: "bench",
  dependencies: [.package(name: "flow", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "ReactiveBench",
      dependencies: ["CAllocations", .product(name: "Reactive", package: "flow")]),
    .executableTarget(name: "StoreBench", dependencies: [.product(name: "Store", package: "flow")]),
  ],
  swiftLanguageModes: [.v6]
)
