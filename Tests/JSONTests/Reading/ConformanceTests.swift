import Expectations
import Foundation
import Testing

@testable import JSON

/// JSONTestSuite, where it lies beside the checkout.
@Suite struct ConformanceTests {
  static let folder: URL? = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in "Tests/JSONTests/Reading/ConformanceTests.swift".split(separator: "/") {
      root.deleteLastPathComponent()
    }
    for shared in [
      root.appending(path: "shared"), root.deletingLastPathComponent().appending(path: "shared"),
    ] {
      let folder = shared.appending(path: "conformance/json/test_parsing")
      if FileManager.default.fileExists(atPath: folder.path) { return folder }
    }
    return nil
  }()

  @Test(.enabled(if: folder != nil, "JSONTestSuite is not there"))
  func everyFileIsTakenOrRefusedAsItsNameSays() throws {
    let folder = try #require(ConformanceTests.folder)
    var counts: [Character: Int] = [:]
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let name = file.lastPathComponent
      guard let kind = name.first, name.hasSuffix(".json") else { continue }
      let bytes = [UInt8](try Data(contentsOf: file))
      counts[kind, default: 0] += 1
      let value = try? Value.parse(bytes, .strict)
      if kind == "y" { #expect(value != nil, "\(name)") }
      if kind == "n" { expectNil(value, "\(name)") }
      // The reader and jq's own numbers must not crash on any of them either.
      _ = try? Value.parse(bytes)
      for piece in [1, 17, 65_536] { _ = readAll(bytes, piece: piece) }
    }
    #expect(counts["y", default: 0] > 90 && counts["n", default: 0] > 180)
  }
}
