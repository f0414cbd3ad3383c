import Expectations
import Foundation
import JSON
import Testing

private let samples = "\(ShippedPipelinesTests.root)/../shared/apis/samples"
private let areThere = FileManager.default.fileExists(atPath: samples)

/// The shipped pipelines over what the services have really answered, where the samples are at hand beside the checkout.
@Suite("the shipped pipelines over recorded answers", .enabled(if: areThere, "the samples are not at hand"))
struct SamplePipelinesTests {
  /// The rows of samples: the results of a page, or the one thing that was asked for.
  private func rows(_ names: String...) throws -> [Value] {
    try names.flatMap { name in
      let value = try Value.parse(try String(contentsOfFile: "\(samples)/\(name).json", encoding: .utf8))
      return value.member("results")?.items ?? value.member("docs")?.items ?? value.items ?? [value]
    }
  }

  /// Runs a pipeline over one poll of each source; what it printed, and what it wrote.
  private func run(_ name: String, at time: String, _ polls: [String: [Value]], _ settings: String...) throws
    -> (
      lines: [String], place: Workplace
    )
  {
    let place = try Workplace()
    try FileManager.default.createDirectory(atPath: place["rec"], withIntermediateDirectories: true)
    for (source, rows) in polls {
      let rows = Value.array(rows).description
      try place.write("rec/\(source).jsonl", #"{"at":"\#(time)","rows":\#(rows)}"# + "\n")
    }
    try place.write("stdin", "")
    let path = "\(ShippedPipelinesTests.root)/pipelines/\(name).yaml"
    let outcome = try Running(
      ["run", "--replay", "rec"] + settings.flatMap { ["--set", $0] } + [path], in: place,
      input: .file(place["stdin"])
    ).end()
    #expect(outcome.status == 0 && !outcome.errors.contains("error"), "\(outcome.errors)")
    return (
      outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast(),
      place
    )
  }

  @Test("launches of every version are rows of the table, with times in Warsaw, places and maps")
  func launches() throws {
    let old = try rows("ll2/v200-upcoming-2026-06")
    let short = try rows("ll2/v220-upcoming-list-mode-2026-07")
    let long = try rows("ll2/v220-upcoming-detailed-mode-2026-07")
    let new = try rows("ll2/v230-launches-list", "ll2/v230-launch-detailed")
    let lines = try run(
      "upcoming-launches", at: "2026-06-01T00:00:00Z", ["upcoming": old + short + long + new],
      "zone=Europe/Warsaw"
    ).lines
    let table = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    // Three of the recorded launches have flown, Sputnik 1 among them.
    expect(table.count, equals: 1 + 10 + 10 + 10 + 3 - 3)
    #expect(table.allSatisfy { $0.count == 7 && !$0[0].isEmpty && $0[1].contains(" | ") || $0[0] == "When" })
    expect(
      table[1],
      equals: [
        "2026-06-19 10:40", "Falcon 9 Block 5 | NROL-179", "Go", "SpaceX", "Vandenberg SFB, CA, USA", "",
        "https://www.google.com/maps?q=34.632,-120.611",
      ])
    // The short list knows no map, but its place.
    expect(
      table[11].prefix(4),
      equals: ["2026-07-20 16:49", "Falcon 9 Block 5 | Starlink Group 17-39", "Go", "SpaceX"])
    #expect(table[11][4] == "Vandenberg SFB, CA, USA" && table[11][6].isEmpty)
    expect(table[21][3...4], equals: ["SpaceX", "Vandenberg SFB, CA, USA"])
    #expect(table[1...].allSatisfy { $0[2] != "Success" })
  }

  @Test("their videos, calendar events and reminders come of them too")
  func launchesElsewhere() throws {
    let polls = try ["upcoming": rows("ll2/v220-upcoming-detailed-mode-2026-07", "ll2/v230-launch-detailed")]
    let time = "2026-07-20T00:00:00Z"
    let videos = try run("launch-videos", at: time, polls).lines
    #expect(videos.contains { $0.hasSuffix("https://x.com/i/broadcasts/1qGoNNQZvEMKv") }, "\(videos)")
    // That of a launch that has flown.
    #expect(!videos.contains { $0.hasSuffix("https://www.youtube.com/watch?v=DTDb3eKpPiw") }, "\(videos)")
    let calendar = try run("launch-calendar", at: time, polls).place.text("out/replay/launches.ics")
    #expect(
      calendar.contains("SUMMARY:Falcon 9 Block 5 | Starlink Group 17-39\r\n"), "\(calendar.prefix(500))")
    #expect(calendar.contains("DTSTART:20260720T144932Z\r\n") && calendar.contains("GEO:34.632;-120.611\r\n"))
    _ = try run("launch-reminders", at: time, polls)
    _ = try run("new-launches", at: time, polls)
  }

  @Test("SpaceX's launches and rockets have their dates, outcomes and figures")
  func spacex() throws {
    let launches = try rows("spacex/v4-launches-older")
    let table = try run("spacex-launches", at: "2026-01-01T00:00:00Z", ["launches": launches]).lines
    expect(table.count, equals: 174)
    #expect(table.contains { $0.hasPrefix("FalconSat\t2006-03-24 22:30\tfailed\t") }, "\(table.prefix(3))")
    let rockets = try rows("spacex/v4-rockets")
    let cards = try run(
      "spacex-rockets", at: "2026-01-01T00:00:00Z", ["launches": launches, "rockets": rockets]
    ).lines
    expect(cards.count { $0.hasPrefix("  Height:") }, equals: 4)
    #expect(cards.contains("  Second stage: 6 engines, 1200 t of fuel, burns n/a s"), "\(cards.suffix(20))")
    #expect(cards.contains("    ✗ 2006-03-24 22:30  FalconSat"))
  }

  @Test("pictures of every year are rows of the album, their texts on one line and their links whole")
  func pictures() throws {
    for (name, count, time) in [
      ("range-1995-06-16", 13, "1995-07-01"), ("range-2021-03-01", 32, "2021-04-02"),
      ("range-2026-07-01", 30, "2026-07-31"),
    ] {
      let lines = try run("apod-album", at: "\(time)T00:00:00Z", ["pictures": rows("apod/\(name)")]).lines
      expect(lines.count, equals: count + 1)
      let table = lines.dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(table.allSatisfy { $0.count == 4 && ($0[3].isEmpty || $0[3].hasPrefix("http")) }, "\(lines)")
      expect(table.map { String($0[0]) }, equals: table.map { String($0[0]) }.sorted(by: >))
    }
  }
}
