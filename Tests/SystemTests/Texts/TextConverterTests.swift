import Expectations
import Testing

@testable import System

@Suite("Conversion of texts to UTF-8") struct TextConverterTests {
  private func convert(_ name: String, _ bytes: [UInt8]) -> (text: String, count: Int, isWrong: Bool)? {
    guard let converter = TextConverter(from: name) else { return nil }
    var result: [UInt8] = []
    let end = bytes.withUnsafeBufferPointer { converter.convert($0, into: &result) }
    converter.finish(into: &result)
    return (String(decoding: result, as: UTF8.self), end.count, end.isWrong)
  }

  @Test("all usual names are known, in any case; others, and options of iconv, are not")
  func names() {
    for name in TextConverter.usualNames { #expect(TextConverter.isKnown(name.uppercased()), "\(name)") }
    for name in ["", "nonsense", "ascii//ignore", "utf-8\0"] {
      #expect(!TextConverter.isKnown(name), "\(name)")
    }
  }

  @Test("a byte without a meaning ends the conversion, and so does the beginning of a character")
  func ends() throws {
    let wrong = try #require(convert("shift_jis", [0x61, 0xff, 0x62]))
    #expect(wrong.text == "a" && wrong.count == 1 && wrong.isWrong)
    let part = try #require(convert("shift_jis", [0x61, 0x93]))
    #expect(part.text == "a" && part.count == 1 && !part.isWrong)
    let western = try #require(convert("ISO-8859-1", [0x80, 0xe9, 0x81]))
    #expect(western.text == "€é\u{81}" && western.count == 3)
    #expect(try #require(convert("koi8-r", [])).text.isEmpty)
  }

  private final class Pieces: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let size: Int

    init(_ bytes: [UInt8], _ size: Int) { (rest, self.size) = (bytes[...], size) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let piece = rest.prefix(min(size, buffer.count))
      buffer.copyBytes(from: piece)
      rest = rest.dropFirst(piece.count)
      return piece.count
    }
  }

  @Test(
    "a source is converted whatever its pieces; a mark counts more than the name; what has no meaning is 0xff",
    arguments: [
      ("shift_jis", [0x93, 0xfa, 0x61, 0xff, 0x93, 0xfa], Array("日a".utf8) + [0xff] + Array("日".utf8)),
      ("shift_jis", [0x61, 0x93], [0x61, 0xff]),
      ("latin1", [0xef, 0xbb, 0xbf, 0xc3, 0xa9], Array("\u{feff}é".utf8)),
      ("latin1", [0xff, 0xfe, 0xe9, 0], Array("é".utf8)), ("latin1", [0xe9], Array("é".utf8)),
      ("utf-16", [], []),
    ] as [(String, [UInt8], [UInt8])])
  func sources(_ name: String, _ bytes: [UInt8], _ expected: [UInt8]) throws {
    for size in 1...7 {
      for room in [1, 2, 100] {
        let source = ConvertedSource(Pieces(bytes, size), from: name)
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: room)
        while case let count = try buffer.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
          found += buffer.prefix(count)
        }
        expect(found, equals: expected, "\(size) \(room)")
      }
    }
  }
}
