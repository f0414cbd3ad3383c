import Expectations
import Glibc
import System
import TestSupport
import Testing

@testable import Browser

@Suite struct PagePicturesTests {
  @Test("a picture is kept once, in the folder of its source, and the last hundred of them")
  func kept() throws {
    let folder = try TemporaryFolder()
    let pictures = PagePictures(folder.path, of: "a/b")
    let first = try pictures.keep([1])
    expect(first, equals: "\(folder.path)/a_b/\(StableHash([1]).digits).png")
    for number in 2...100 { _ = try pictures.keep([UInt8(number)]) }
    expect(try pictures.keep([1]), equals: first)
    expect(try Glob.expand("\(folder.path)/a_b/*").count, equals: 100)
    let last = try pictures.keep([101])
    expect(try Glob.expand("\(folder.path)/a_b/*").count, equals: 100)
    // It was renewed, so another was the oldest.
    expect(access(first, F_OK), equals: 0)
    expect(access(last, F_OK), equals: 0)
  }
}
