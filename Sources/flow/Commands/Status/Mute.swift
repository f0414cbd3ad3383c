import Language
import System

/// The time until which no alerts of a pipeline are sent, `NAME.mute` in the state folder.
struct Mute {
  private let path: String

  init(of pipeline: String, in folder: String) { path = "\(folder)/\(pipeline)\(Self.suffix)" }

  static let suffix = ".mute"

  /// When it ends, in seconds since 1970; nil where it is over, or there is none.
  func end(at now: Double) -> Double? {
    guard let bytes = try? readFile(path, limit: 100) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    return text.flatMap { parseTimestamp($0) }.flatMap { $0 > now ? $0 : nil }
  }

  /// Sets the end; one that has passed ends it now.
  func set(until end: Double) throws {
    let file = WholeFile(path: path, mode: 0o600, syncs: false, disk: SystemDisk())
    try file.write(Array("\(timestamp(end.rounded()))\n".utf8))
  }
}
