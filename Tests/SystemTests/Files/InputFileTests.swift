import Expectations
import Glibc
import Testing

import TestSupport
@testable import System

@Suite struct InputFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private let text = String(repeating: "a launch slips\n", count: 20_000)

  private func failure(_ work: () throws -> Void) -> String {
    do { try work() } catch { return "\(error)".replacing("\(folder.path)/", with: "") }
    return ""
  }

  @Test("a plain file is read as it is, whatever its name")
  func plain() throws {
    try folder.write("a.gz", text)
    let file = try InputFile(folder["a.gz"])
    try expect(allBytes(file), equals: Array(text.utf8))
    expect(file.offset, equals: text.utf8.count)
    #expect(!file.isCompressed)
  }

  @Test("one byte and no byte are files too", arguments: ["", "\u{1f}", "x"])
  func tiny(text: String) throws {
    try folder.write("a", text)
    try expect(folder.text("a"), equals: text)
  }

  @Test("gzip is known by its first bytes, and members follow each other, zeros at the end or not")
  func members() throws {
    try folder.write("a", gzipped(Array(text.utf8)) + gzipped([]) + gzipped([0x62, 0x0a]) + [0, 0, 0])
    let file = try InputFile(folder["a"])
    try expect(allBytes(file, atOnce: 777), equals: Array(text.utf8) + [0x62, 0x0a])
    #expect(file.isCompressed)
    expect(file.offset, equals: text.utf8.count + 2)
  }

  @Test("truncated gzip data is returned as far as possible, then reported")
  func cutOff() throws {
    try folder.write("a", gzipped(Array(text.utf8)).dropLast(5))
    let file = try InputFile(folder["a"])
    expect(failure { _ = try allBytes(file) }, equals: "a: the gzip data is cut off after 300000 good bytes")
    expect(file.offset, equals: 300_000)
  }

  @Test("damaged gzip data gives what is before, then says so, each time it is asked")
  func damaged() throws {
    try folder.write("a", gzipped([0x61, 0x0a]) + [1, 2, 3])
    let file = try InputFile(folder["a"])
    let words = "a: the gzip data is damaged (incorrect header check) after 2 good bytes"
    expect(failure { _ = try allBytes(file) }, equals: words)
    expect(failure { _ = try allBytes(file) }, equals: words)
  }

  @Test("reading can begin where it ended before, packed or not", arguments: [false, true])
  func skip(packed: Bool) throws {
    try folder.write("a", packed ? gzipped(Array(text.utf8)) : Array(text.utf8))
    let file = try InputFile(folder["a"])
    #expect(try file.skip(to: 15))
    try expect(allBytes(file), equals: Array(text.utf8.dropFirst(15)))
    expect(file.offset, equals: text.utf8.count)
    #expect(try InputFile(folder["a"]).skip(to: 0))
    #expect(try !InputFile(folder["a"]).skip(to: text.utf8.count + 1))
  }

  @Test("what cannot be opened says why")
  func missing() throws {
    expect(
      failure { _ = try InputFile(folder["none"]) }, equals: "none: cannot open: No such file or directory")
    mkdir(folder["sub"], 0o755)
    expect(failure { _ = try InputFile(folder["sub"]) }, equals: "sub: cannot read: it is a folder")
  }
}
