import Expectations
import Glibc
import System
import TestSupport
import Testing

@testable import Browser

@Suite struct PagePicturesTests {
  @Test("a picture is kept once, in the folder of its page, and knows the one before")
  func kept() throws {
    let folder = try TemporaryFolder()
    let pictures = PagePictures(folder.path, of: "a/b", page: "http://x/1")
    let first = try pictures.keep([1])
    #expect(
      first.path.hasPrefix("\(folder.path)/a_b/") && first.path.hasSuffix("/\(StableHash([1]).digits).png"))
    expectNil(first.before)
    let second = try pictures.keep([2])
    expect(second.before, equals: first.path)
    expect(try pictures.keep([1]), equals: KeptPicture(path: first.path, before: second.path))
    // That of a page that has failed is none of what was before.
    expectNil(try pictures.ofFailures.keep([9]).before)
    expect(try pictures.keep([2]).before, equals: first.path)
    // Another page of the source has its own.
    expectNil(try PagePictures(folder.path, of: "a/b", page: "http://x/2").keep([1]).before)
  }

  @Test("those that events name are kept, of others the last ten of a page, and never the present one")
  func named() throws {
    let folder = try TemporaryFolder()
    let pictures = PagePictures(folder.path, of: "s", page: "p")
    let first = try pictures.keep([1])
    KeptPicture.name(at: first.path)
    // Again by another poll: it stays one that an event names.
    expect(try pictures.keep([1]).path, equals: first.path)
    let second = try pictures.keep([2])
    for number in 3...12 { _ = try pictures.keep([UInt8(number)]) }
    expect([first, second].map { access($0.path, F_OK) }, equals: [0, -1])
    expect(try Glob.expand("\(folder.path)/s/*/*.png").count, equals: 11)
    for number in 13...113 { KeptPicture.name(at: try pictures.keep([UInt8(number)]).path) }
    let last = try pictures.keep([114])
    expect(access(first.path, F_OK), equals: -1)
    expect(access(last.path, F_OK), equals: 0)
    expect(try Glob.expand("\(folder.path)/s/*/*.png").count, equals: 110)
  }

  @Test("an event that comes to a sink names the pictures of its poll, and no other file")
  func marked() throws {
    let folder = try TemporaryFolder()
    let picture = try PagePictures(folder.path, of: "s", page: "p").keep([1])
    try folder.write("other.txt", "")
    chmod(folder["other.txt"], 0o600)
    for path in [picture.path, folder["other.txt"], folder["none.png"]] { KeptPicture.name(at: path) }
    func mode(_ path: String) -> UInt32 {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    expect(mode(picture.path), equals: 0o400)
    expect(mode(folder["other.txt"]), equals: 0o600)
  }
}
