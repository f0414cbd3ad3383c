import Glibc
import TestSupport
import Testing

@testable import System

/// What was read of a file, which its copy has too.
@Suite struct ReadContentTests {
  @Test(
    "a file that begins with it is known, however it was divided, and none with another byte",
    arguments: [0, 5, 4200])
  func copies(start: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 3) }
    let text = { (bytes: [UInt8]) in String(decoding: bytes.map { 32 + $0 % 90 }, as: UTF8.self) }
    try folder.write("a", text(bytes))
    func descriptor(_ name: String) throws -> OpenDescriptor {
      try OpenDescriptor(opening: folder[name], O_RDONLY, to: "open")
    }
    let file = try descriptor("a")
    let content = Array(text(bytes).utf8)
    var random = SystemRandomNumberGenerator()
    var read = ReadContent(after: start, FileFingerprint(file.number, upTo: start))
    while read.end < 8000 {
      let end = min(8000, read.end + Int.random(in: 0...40, using: &random))
      content[read.end..<end].withUnsafeBytes { read.add($0) }
    }
    #expect(read.isBeginning(of: file.number))
    let stored = try #require(ReadContent(text: read.text))
    #expect(stored.end == 8000 && stored.text == read.text)
    for (place, isSame) in [(3, false), (start + 1000, false), (7999, false), (8000, true)] {
      var other = bytes
      other[place] ^= 1
      try folder.write("b", text(other))
      let found = try descriptor("b")
      for read in [read, stored] { #expect(read.isBeginning(of: found.number) == isSame, "\(place)") }
    }
    try folder.write("b", text(Array(bytes.prefix(7999))))
    #expect(try !read.isBeginning(of: descriptor("b").number))
    for text in ["", "1-2", "2-1-0", "a-b-c", "-1-2-3"] { #expect(ReadContent(text: text) == nil, "\(text)") }
  }
}
