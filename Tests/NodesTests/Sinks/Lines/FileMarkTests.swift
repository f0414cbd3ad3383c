import Expectations
import JSON
import Testing

@testable import Nodes
import System

@Suite struct FileMarkTests {
  @Test(
    "a mark comes back from its text, also with numbers that no double holds",
    arguments: [
      FileMark(device: 1, inode: 2, offset: 3), FileMark(device: .max, inode: .max - 1, offset: .max),
      FileMark(device: 0, inode: 1 << 53 + 1, offset: 0), FileMark(device: 1, inode: 2, offset: 3, aside: 4),
    ])
  func both(mark: FileMark) { expect(FileMark(json: mark.jsonValue.json), equals: mark) }

  @Test("its text is an object of three numbers, or four")
  func text() {
    expect(
      FileMark(device: 1, inode: 2, offset: 3).jsonValue.description,
      equals: #"{"device":1,"inode":2,"offset":3}"#)
    expect(
      FileMark(device: 1, inode: 2, offset: 3, aside: 0).jsonValue.description,
      equals: #"{"device":1,"inode":2,"offset":3,"aside":0}"#)
  }

  @Test(
    "what is no mark is none",
    arguments: [
      "", "{", "null", "[]", "{}", #"{"device":1,"inode":2}"#, #"{"device":1,"inode":2,"offset":-1}"#,
      #"{"device":1,"inode":2,"offset":1.5}"#, #"{"device":1,"inode":"2","offset":3}"#,
      #"{"device":1,"inode":18446744073709551616,"offset":3}"#,
    ])
  func none(text: String) { expectNil(FileMark(json: Array(text.utf8))) }
}
