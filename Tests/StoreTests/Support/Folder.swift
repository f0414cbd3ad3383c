import Foundation
import Glibc
@testable import Store

/// A folder that goes with the value.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/flow-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var file: String { path + "/p.db" }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func read(_ name: String = "p.db") throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }

  func write(_ bytes: [UInt8], _ name: String = "p.db") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  /// Overwrites a part of a file, even if it is open elsewhere.
  func overwrite(_ name: String = "p.db", at place: Int, _ bytes: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(path)/\(name)"))
    try file.seek(toOffset: UInt64(place))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// The state as a crash would leave it now: the file and its write-ahead file, as they lie on the disk.
  func snapshot() throws -> Folder {
    let copy = try Folder()
    for name in ["p.db", "p.db-wal"] where names.contains(name) { try copy.write(read(name), name) }
    return copy
  }

  func open(_ change: (inout StateFile.Options) -> Void = { _ in }) throws -> StateFile {
    var options = StateFile.Options(database: .init(sync: .never))
    change(&options)
    return try StateFile(path: file, options)
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// What `body` fails with.
func failure(_ body: () throws -> Void) -> StoreError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StoreError
  }
}

extension StateFile {
  /// The mark of a sink.
  func written(sink: String) throws(StoreError) -> OutputPlace? {
    let statement = try database.statement("SELECT epoch, position FROM sinks WHERE name = ?1")
    try statement.bind(1, sink)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return OutputPlace(epoch: statement.integer(0), index: statement.integer(1))
  }

  func outboxCount(sink: String) throws(StoreError) -> Int { try outbox(sink: sink, limit: .max).count }
}
