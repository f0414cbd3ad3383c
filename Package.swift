// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "flow",
  targets: [],
  swiftLanguageModes: [.v6]
)
