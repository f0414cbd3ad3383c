import Foundation
import Testing

@testable import Store

/// State files that earlier versions have written, one a format, open for ever: `Fixtures/format-N.db` was written by
/// `flow run` when N was the present format, and is never written anew.
@Suite struct UpgradeTests {
  static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  @Test("there is a file of each format that ever was", arguments: 1...Schema.current)
  func fixtures(_ format: Int) {
    let path = Self.fixtures.appending(path: "format-\(format).db").path
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test("a file of format 1 opens with all that is in it, and goes on")
  func format1() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(
      atPath: Self.fixtures.appending(path: "format-1.db").path, toPath: folder.file)
    let state = try folder.open()
    #expect(state.epoch == 2)
    #expect(try state.fact(owner: "pipeline", name: "life") == .text("87agoq"))
    #expect(try state.fact(owner: "in", name: "position")?.text?.contains(#""offset":45"#) == true)
    let changes = try state.table(node: "changes@in", description: ".id", isOrdered: false)
    #expect(changes.count == 2 && changes.value(for: bytes("1")) == bytes(#"{"id":1,"n":3}"#))
    let dedupe = try state.table(node: "dedupe", description: ".after.n")
    #expect(dedupe.count == 3 && dedupe.formerDescription == nil && dedupe.oldest?.key == bytes("1"))
    let waiting = try state.table(node: "debounce", description: ".key")
    #expect(waiting.count == 2 && waiting.oldest?.key == bytes("2"))
    let entry = try #require(try state.outbox(sink: "tell").first)
    #expect(entry.id == "format-1/tell/a-1" && entry.attempts == 2 && entry.bytes == bytes("{}"))
    #expect(try state.deadLetters().first?.reason == "it failed")
    dedupe.set(bytes("1"), for: bytes("9"))
    #expect(try state.commit { _ in } == 3)
  }
}
