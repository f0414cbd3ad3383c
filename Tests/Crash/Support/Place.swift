import Foundation
import TestSupport

/// A folder in which a pipeline lives and is killed; gone with it, unless it is kept.
final class Place {
  let path: String
  var isKept = false

  init(_ name: String) throws {
    path =
      FileManager.default.temporaryDirectory.appending(
        path: "flow-crash-\(name)-\(UUID().uuidString.prefix(8))"
      )
      .path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { if !isKept { try? FileManager.default.removeItem(atPath: path) } }

  subscript(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
  }

  func append(_ name: String, _ text: String) throws {
    if !has(name) { try write(name, "") }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: self[name]))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
  }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self[name]) }

  /// Nothing where there is no such file.
  func bytes(_ name: String) -> Data { FileManager.default.contents(atPath: self[name]) ?? Data() }

  func size(_ name: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: self[name]))?[.size] as? Int ?? 0
  }

  /// A log and the files it was in before: `log.3.gz`, `log.2`, `log.1` and `log`.
  func logFiles(_ name: String) -> [Data] {
    var files = [bytes(name)]
    var number = 1
    // A crash within a rotation leaves a number out.
    while let old = [number, number + 1].lazy.compactMap({ self.old("\(name).\($0)", number: $0) }).first {
      files.insert(old.bytes, at: 0)
      number = old.number + 1
    }
    return files
  }

  /// All that is in a log and the files it was in before.
  func log(_ name: String) -> Data { logFiles(name).reduce(into: Data()) { $0 += $1 } }

  private func old(_ name: String, number: Int) -> (bytes: Data, number: Int)? {
    if has("\(name).gz") { return (unpacked("\(name).gz"), number) }
    return has(name) ? (bytes(name), number) : nil
  }

  private func unpacked(_ name: String) -> Data {
    let gzip = TestProcess()
    let output = Pipe()
    gzip.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
    gzip.arguments = ["-dc", self[name]]
    gzip.standardOutput = output
    guard (try? gzip.run()) != nil else { return Data() }
    defer { gzip.waitUntilExit() }
    return (try? output.fileHandleForReading.readToEnd()) ?? Data()
  }

  func logLines(_ name: String) -> [String] { log(name).lines }
}

extension Data {
  /// What lies between line breaks; what comes behind the last one too.
  var lines: [String] {
    split(separator: 0x0a, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
      .dropLast(last == 0x0a || isEmpty ? 1 : 0)
  }
}
