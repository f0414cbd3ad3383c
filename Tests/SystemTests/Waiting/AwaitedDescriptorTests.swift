import Expectations
import Glibc
import Reactive
import Testing

@testable import System

@Suite struct AwaitedDescriptorTests {
  @Test("a wait is never shorter than asked, nor longer than poll(2) takes")
  func timeouts() {
    let now = Instant(nanoseconds: 5)
    expect(pollTimeout(from: now, until: now), equals: 0)
    expect(pollTimeout(from: now, until: now - .seconds(1)), equals: 0)
    expect(pollTimeout(from: now, until: now + .nanoseconds(1)), equals: 1)
    expect(pollTimeout(from: now, until: now + .milliseconds(7)), equals: 7)
    expect(pollTimeout(from: now, until: now + .seconds(1 << 30)), equals: .max)
  }

  @Test("each descriptor is ready for its own event, and one below zero never is")
  func events() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    func ready() -> [Bool] {
      awaitDescriptors([.input(reading), .output(writing), .end(writing), .input(-1)], for: .zero)
    }
    expect(ready(), equals: [false, true, false, false])
    _ = write(writing, "x", 1)
    expect(ready(), equals: [true, true, false, false])
    close(writing)
    var byte: UInt8 = 0
    _ = read(reading, &byte, 1)
    // The end is something to read.
    expect(awaitDescriptors([.input(reading)]), equals: [true])
  }

  @Test("a reader that has gone is an end")
  func end() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    expect(awaitDescriptors([.end(ends[1])]), equals: [true])
  }
}
