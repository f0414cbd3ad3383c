import JSON
import Language
import System

/// A file with a list, read again when it has changed.
///
/// What has changed counts when it is the same at two readings, a second apart: an editor may be in the middle of it.
final class ListFile {
  private static let most = 64 << 20

  private let path: String
  private let decoding: Decoding
  private var accepted: [UInt8]?
  private var pending: [UInt8]?

  init(_ path: String, _ decoding: Decoding) { (self.path, self.decoding) = (path, decoding) }

  /// How soon it is to be read again.
  var rereading: Duration { pending == nil ? .seconds(10) : .seconds(1) }

  /// The values of the file; nil where they are those of the last reading.
  func read() throws -> [Value]? {
    let bytes = try readAll()
    if bytes == accepted {
      pending = nil
      return nil
    }
    if accepted != nil, bytes != pending {
      pending = bytes
      return nil
    }
    (accepted, pending) = (bytes, nil)
    do throws(DecodeFailure) {
      return try decoding.values(of: bytes).filter { !Self.isBlank($0, in: decoding.format) }
    } catch {
      throw ListFailure(description: "\(path): \(error)")
    }
  }

  /// Whether it is a line of text without an entry: an empty one, or one that begins with #.
  private static func isBlank(_ value: Value, in format: TextFormat) -> Bool {
    guard format == .text, let line = value.string else { return false }
    let first = line.first { !$0.isWhitespace }
    return first == nil || first == "#"
  }

  private func readAll() throws -> [UInt8] {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= Self.most {
      let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }
}

/// Why a list cannot be read.
private struct ListFailure: Error, CustomStringConvertible {
  let description: String
}
