import Testing

/// The entry point of the tests, in place of the one that SwiftPM derives from an index of all sources.
///
/// It needs no index: there are only tests of Swift Testing, which finds them by itself. Writing the index takes a sixth
/// of the processor time of a debug build, so the Makefile builds without one (`--disable-index-store`);
/// an editor keeps its own.
@main
struct Runner {
  static func main() async {
    // `swift test` starts the product once for each library, and asks for the tests of XCTest, of which there are none.
    if CommandLine.arguments.contains("--dump-tests-json") { return print(#"{"tests": []}"#) }
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
