import Expectations
@testable import Nodes
import Trials
import Foundation
import JSON
import Engine
import Language
import Testing

import System

/// What the services have really answered, where the samples are at hand beside the checkout.
@Suite struct ServiceSamplesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../shared/apis/samples").standardizedFileURL.path
  static let areThere = FileManager.default.fileExists(atPath: folder)

  private func sample(_ name: String) throws -> String {
    try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
  }

  @Test(
    "a page of each version of Launch Library 2 is rows, each with a name, a time and a status",
    .enabled(if: areThere, "the samples are not at hand"),
    arguments: [
      ("2.0.0", "v200-upcoming-2026-06"), ("2.2.0", "v220-upcoming-list-mode-2026-07"),
      ("2.3.0", "v230-launches-list"),
    ])
  func launches(_ version: String, _ name: String) throws {
    let page = try sample("ll2/\(name).json")
    let count = try #require(try Value.parse(page).member("results")?.items?.count)
    let trial = try WebTrial("launch_library: { version: \(version), limit: \(count), url: 'http://a' }") {
      _ in
      .init(page)
    }
    let rows = try trial.poll().rows
    expect(rows.count, equals: count)
    for row in rows {
      expect(row.member("name")?.string?.contains(" | "), equals: true)
      #expect(row.member("net")?.string.flatMap { parseTimestamp($0) } != nil)
      #expect(row.member("status")?.member("id")?.double != nil)
    }
  }

  @Test("SpaceX's launches and rockets are rows", .enabled(if: areThere, "the samples are not at hand"))
  func spacex() throws {
    for (collection, name) in [("launches", "v4-launches-older"), ("rockets", "v4-rockets")] {
      let list = try sample("spacex/\(name).json")
      let trial = try WebTrial("spacex: { collection: \(collection), url: 'http://a' }") { _ in .init(list) }
      let rows = try trial.poll().rows
      #expect(!rows.isEmpty && rows.allSatisfy { $0.member("name")?.string != nil })
    }
  }

  @Test("a range of pictures is rows, in order", .enabled(if: areThere, "the samples are not at hand"))
  func pictures() throws {
    let range = try sample("apod/range-2026-07-01.json")
    let trial = try WebTrial(
      "apod: { from: 2026-07-01, until: 2026-07-30, url: 'http://a' }", at: 1_800_000_000
    ) { _ in
      .init(range)
    }
    let dates = try trial.poll().rows.compactMap { $0.member("date")?.string }
    #expect(dates.first == "2026-07-01" && dates == dates.sorted())
  }

  @Test(
    "the services' errors are errors, in their words", .enabled(if: areThere, "the samples are not at hand"))
  func errors() throws {
    let throttled = try sample("ll2/error-429-throttled.json")
    let busy = try WebTrial("launch_library: { url: 'http://a' }") { _ in .init(throttled, status: 429) }
    #expect("\(try #require(throws: (any Error).self) { try busy.poll() })".contains("throttled"))
    let refused = try sample("apod/error-403-key-invalid.json")
    let key = try WebTrial("apod: { key: s3cret, url: 'http://a' }") { _ in .init(refused, status: 403) }
    let error = "\(try #require(throws: (any Error).self) { try key.poll() })"
    #expect(error.contains("403") && !error.contains("s3cret"))
  }
}
