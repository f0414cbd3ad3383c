// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "flow",
  products: [
    .library(name: "Reactive", targets: ["Reactive"])
  ],
  targets: [
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .target(name: "Reactive"),
    .target(name: "Pipeline", dependencies: ["CYAML"]),
    .testTarget(name: "ReactiveTests", dependencies: ["Reactive"]),
    .testTarget(name: "PipelineTests", dependencies: ["Pipeline"]),
  ],
  swiftLanguageModes: [.v6]
)
