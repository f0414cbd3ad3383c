import TestSupport
import Testing

@testable import Nodes
import System

/// A run of one file that is killed, and the one after it.
struct KilledRun {
  /// Lines of several lengths, an empty one among them.
  static let truth = Array("1\n22\n\n{\"a\":4}\n5555555\n6\n".utf8)
  /// Where a line begins, the end being one.
  static let lineStarts = [0] + truth.indices.filter { truth[$0] == 0x0a }.map { $0 + 1 }

  /// Where the line begins that a byte is in.
  static func lineStart(of place: Int) -> Int { lineStarts.last { $0 <= place } ?? 0 }

  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder["x"]
  }

  /// Writes so many bytes and keeps a mark; then writes on, line by line, and is killed.
  func run(mark: Int, cut: Int, _ rotation: Rotation = Rotation()) throws -> FileMark {
    let lone = LoneFiles(rotation)
    try lone.write(Self.truth[..<mark], to: path)
    let kept = try #require(try lone.keepMark(of: path))
    var rest = Self.truth[mark..<cut]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0a).map { $0 + 1 } ?? rest.endIndex
      try lone.write(rest[..<end], to: path)
      rest = rest[end...]
    }
    return kept
  }

  /// Resumes the file and makes bytes again, in pieces of so many.
  @discardableResult
  func replay(
    _ bytes: some Sequence<UInt8>, from mark: FileMark, pieces: Int = 1000, _ lone: LoneFiles = LoneFiles()
  ) throws -> LoneFiles {
    lone.files.resume(path, at: mark)
    try write(bytes, lone, pieces: pieces)
    return lone
  }

  func write(_ bytes: some Sequence<UInt8>, _ lone: LoneFiles, pieces: Int = 1000) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      try lone.write(rest.prefix(pieces), to: path)
      rest = rest.dropFirst(pieces)
    }
  }

  /// The file and its old ones as one text, the oldest first.
  func text() throws -> [UInt8] {
    let old = (1...50).reversed().map { "x.\($0)" }.filter(folder.names.contains)
    return try (old + ["x"]).flatMap { try folder.bytes($0) }
  }
}
