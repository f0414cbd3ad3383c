import Expectations
import Glibc
import Testing

@testable import Store

@Suite struct ReadAheadTests {
  private let folder: Folder
  init() throws { folder = try Folder() }

  @Test("a file that is open is asked for to its end, a piece at a time")
  func pieces() throws {
    try folder.write(Array(repeating: 1, count: 9 << 20))
    let descriptor = open(folder.file, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var ahead = try #require(ReadAhead(of: folder.file, atMost: 9 << 20))
    var pieces = 0
    while ahead.next() { pieces += 1 }
    expect(pieces, equals: 3)
    expectNil(ReadAhead(of: folder.file, atMost: (9 << 20) - 1))
  }

  @Test("there is nothing to ask for where a file is not open, or not there")
  func nothing() throws {
    try folder.write([1])
    expectNil(ReadAhead(of: folder.file, atMost: 9))
    expectNil(ReadAhead(of: folder.path + "/other", atMost: 9))
  }

  @Test("the state's own file is open")
  func state() throws {
    let state = try folder.open()
    try state.commit { _ in }
    #expect(ReadAhead(of: state.path, atMost: 1 << 20) != nil)
  }
}
