import Expectations
@testable import Delivery
import Trials
import TestSupport
import Engine
import Language
import Testing

import System

@Suite struct DeadLettersTests {
  @Test("a letter is added to the file, which is made, and found anew for the next one")
  func letters() throws {
    let folder = try TemporaryFolder()
    let disk = WatchedDisk()
    try appendLetter(folder["new/letters"], Array("1\n".utf8))
    try appendLetter(folder["new/letters"], Array("2\n".utf8), on: disk)
    try expect(folder.text("new/letters"), equals: "1\n2\n")
    expect(disk.count("open"), equals: 1)
    expect(disk.count("append"), equals: 1)
  }
}
