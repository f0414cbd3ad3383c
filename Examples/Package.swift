// swift-tools-version:6.1
import PackageDescription

// A package of its own, so that Reactive is used from outside, as anybody would use it.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "flow", path: "..")],
  targets: [
    ("SearchField", []), ("Prices", []), ("SignUp", []), ("Moving", ["RxNames"]),
  ].flatMap { (name: String, others: [Target.Dependency]) -> [Target] in
    [
      .target(name: name, dependencies: [.product(name: "Reactive", package: "flow")] + others),
      .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), .product(name: "ReactiveTesting", package: "flow")] + others),
    ]
  } + [.target(name: "RxNames", swiftSettings: [.swiftLanguageMode(.v5)])],
  swiftLanguageModes: [.v6]
)
