// swift-tools-version:6.1
// Coverage-guided fuzzing, a package of its own because its flags suit nothing else. `make fuzz` runs it.
import PackageDescription

let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "flow", path: "../..")],
  targets: [
    .executableTarget(
      name: "FuzzReading", dependencies: [.product(name: "JSON", package: "flow")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "FuzzDecoders",
      dependencies: [.product(name: "JSON", package: "flow"), .product(name: "Markup", package: "flow")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "FuzzFormats",
      dependencies: [.product(name: "Decode", package: "flow"), .product(name: "JSON", package: "flow")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "FuzzPrograms", dependencies: [.product(name: "JSON", package: "flow")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
  ],
  swiftLanguageModes: [.v6]
)
