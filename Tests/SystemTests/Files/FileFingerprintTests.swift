import Expectations
import Glibc
import System
import TestSupport
import Testing

@Suite struct FileFingerprintTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
  }

  private func write(_ bytes: [UInt8]) throws {
    let file = try OpenDescriptor(opening: folder["f"], O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600, to: "open")
    expect(Glibc.write(file.number, bytes, bytes.count), equals: bytes.count)
  }

  @Test("a file that grows has the same fingerprint", arguments: [0, 1, 7, 4096, 4097, 20_000])
  func grows(count: Int) throws {
    try write(bytes(count))
    let before = try #require(FileFingerprint(folder["f"], upTo: count))
    try write(bytes(count) + bytes(5000))
    #expect(before.matches(FileFingerprint(folder["f"], upTo: count)))
    expect(FileFingerprint(text: before.text), equals: before)
  }

  @Test("a byte at either end is enough for another", arguments: [0, 4095, 20_000 - 4096, 19_999])
  func overwritten(place: Int) throws {
    var content = bytes(20_000)
    try write(content)
    let before = try #require(FileFingerprint(folder["f"], upTo: content.count))
    content[place] ^= 1
    try write(content)
    #expect(!before.matches(FileFingerprint(folder["f"], upTo: content.count)))
  }

  @Test("a file that is shorter has none, and none matches it")
  func shorter() throws {
    try write(bytes(10))
    let before = try #require(FileFingerprint(folder["f"], upTo: 10))
    try write(bytes(9))
    expectNil(FileFingerprint(folder["f"], upTo: 10))
    #expect(!before.matches(nil))
  }

  @Test("a file with the same bytes that was created at another time is another")
  func created() {
    let one = FileFingerprint(text: "8-ff-1")
    expect(one?.matches(FileFingerprint(text: "8-ff-2")), equals: false)
    expect(one?.matches(FileFingerprint(text: "8-ff")), equals: true)
    #expect(FileFingerprint(text: "8") == nil && FileFingerprint(text: "-1-ff") == nil)
  }
}
