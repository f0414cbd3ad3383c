import Decode
import JSON
import Language
import System

/// A file with a list, read again when it has changed.
///
/// What has changed counts when it is the same at two readings: an editor may be in the middle of it.
package final class ListFile {
  /// The largest file that is read.
  private static let limit = 64 << 20

  package let path: String
  private let decoding: Decoding
  private var accepted: [UInt8]?
  private var pending: [UInt8]?

  /// The format is that of the file's name unless one is given, text where that says nothing.
  package init(_ path: String, _ decoding: Decoding?) {
    self.path = path
    self.decoding = decoding ?? Decoding(.named(after: path) ?? .text)
  }

  /// How soon it is to be read again.
  var rereading: Duration { pending == nil ? .seconds(10) : .seconds(1) }

  /// The values of the file, those of text without blanks around them, empty lines and lines that begin with #; nil where
  /// they are those of the last reading.
  package func read() throws -> [Value]? {
    let bytes = try readFile(path, limit: Self.limit)
    if bytes == accepted {
      pending = nil
      return nil
    }
    if accepted != nil, bytes != pending {
      pending = bytes
      return nil
    }
    let values: [Value]
    do throws(Sentence) { values = try decoding.values(of: bytes) } catch {
      throw Sentence("\(path): \(error)")
    }
    (accepted, pending) = (bytes, nil)
    return decoding.format == .text ? values.compactMap(Self.entry) : values
  }

  private static func entry(_ value: Value) -> Value? {
    guard let line = value.string else { return value }
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    var text = line.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text.isEmpty || text.first == "#" ? nil : .string(String(text))
  }
}

/// The options of a list in a file.
package enum ListFileOptions {
  package static let file = Option.required(
    "file", OptionType<String>.path.referred, "the file with the list", example: "shops.csv")
  package static let decode = Option.optional(
    "decode", Decoding.type, "the format of the file (default: by its name, otherwise lines of text)",
    example: "csv")
}
