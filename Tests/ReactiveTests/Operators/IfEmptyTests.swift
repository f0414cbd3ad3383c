import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct IfEmptyTests {
  @Test func continuesWithTheOtherStream() throws {
    let clock = VirtualScheduler()
    let (source, other) = (try clock.hot("---|"), try clock.cold("a--b|"))
    expect(clock.play(source.ifEmpty(switchTo: other)), equals: "---a--b|")
    expect(source.subscriptions, equals: ["^--!"])
    expect(other.subscriptions, equals: ["---^---!"])
  }

  @Test func anElementOrAFailureNeedsNoOther() throws {
    let clock = VirtualScheduler()
    let other = try clock.cold("b|")
    expect(clock.play(try clock.hot("a-|").ifEmpty(switchTo: other)), equals: "a-|")
    expect(clock.play(try clock.hot("--#").ifEmpty(switchTo: other)), equals: "----#")
    #expect(other.subscriptions.isEmpty)
  }

  @Test func anEmptyOtherEndsToo() throws {
    try expectMarbles("-|") { try $0.hot("-|").ifEmpty(switchTo: .empty()) }
  }

  @Test func oneElementWillDo() throws {
    try expectMarbles("--(z|)") { try $0.hot("--|").ifEmpty(default: "z") }
    try expectMarbles("-a|") { try $0.hot("-a|").ifEmpty(default: "z") }
  }
}
