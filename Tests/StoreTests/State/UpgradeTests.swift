import Expectations
import Foundation
import Testing

@testable import Store

/// The state of every released version opens, with all that is in it: `Fixtures/state-VERSION/state.db` was written by
/// that version's `flow run` and is never changed; `expected.txt` beside it says what must be found.
@Suite struct UpgradeTests {
  static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")
  static let versions = ((try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? [])
    .filter { $0.hasPrefix("state-") }.sorted()

  @Test("there is a state of each format that ever was")
  func formats() throws {
    let formats = try Self.versions.map { version in
      let path = Self.fixtures.appending(path: "\(version)/state.db").path
      // SQLite keeps `user_version`, big-endian, at offset 60.
      return try Data(contentsOf: URL(fileURLWithPath: path))[60..<64].reduce(0) { $0 << 8 | Int($1) }
    }
    expect(Set(formats), equals: Set(1...Schema.current))
  }

  @Test("a state opens with all that is in it, and goes on", arguments: versions)
  func opens(_ version: String) throws {
    let folder = try Folder()
    let fixture = Self.fixtures.appending(path: version)
    try FileManager.default.copyItem(atPath: fixture.appending(path: "state.db").path, toPath: folder.file)
    let state = try folder.open()
    let epoch = state.epoch
    let expected = try String(contentsOf: fixture.appending(path: "expected.txt"), encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(expected.count > 5)
    var tables: [String: KeyedTable] = [:]
    for line in expected {
      let words = line.split(separator: "\t").map(String.init)
      let isThere =
        switch (words[0], words.count) {
        case ("epoch", 2): epoch == Int64(words[1])
        case ("fact", 4): try state.fact(owner: words[1], name: words[2]) == .text(words[3])
        case ("part of fact", 4):
          try state.fact(owner: words[1], name: words[2])?.text?.contains(words[3]) == true
        case ("table", 4):
          try {
            let table = try state.table(
              node: words[1], description: words[2], isOrdered: !words[1].contains("@"))
            tables[words[1]] = table
            return table.count == Int(words[3]) && table.formerDescription == nil
          }()
        case ("value", 4): tables[words[1]]?.value(for: bytes(words[2])) == bytes(words[3])
        case ("oldest", 3): tables[words[1]]?.oldest?.key == bytes(words[2])
        case ("outbox", 5):
          try state.outbox(sink: words[1]).contains {
            $0.id == words[2] && $0.attempts == Int(words[3]) && $0.bytes == bytes(words[4])
          }
        case ("dead", 3):
          try state.deadLetters().contains { $0.entry.sink == words[1] && $0.reason == words[2] }
        default: false
        }
      #expect(isThere, "\(version)/expected.txt: \(line)")
    }
    let ordered = try #require(tables["dedupe"])
    ordered.set(bytes("1"), for: bytes("9"))
    try expect(state.commit { _ in }, equals: epoch + 1)
  }
}
