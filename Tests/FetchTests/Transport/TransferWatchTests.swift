import Expectations
import Reactive
import Testing

@testable import Fetch

@Suite struct TransferWatchTests {
  let limits = TransferLimits(
    connect: .seconds(5), firstByte: .seconds(20), stall: .seconds(10), whole: .seconds(60))

  func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  @Test("each step has its own time, counted from the one before")
  func steps() {
    var watch = TransferWatch(limits, at: at(100))
    expectNil(watch.overrun(at: at(104.9)))
    expect(watch.overrun(at: at(105)), equals: .connect)
    watch.connect(at: at(103))
    watch.connect(at: at(104))
    expectNil(watch.overrun(at: at(122.9)))
    expect(watch.overrun(at: at(123)), equals: .firstByte)
    watch.receive(at: at(120))
    expect(watch.deadline.at, equals: at(130))
    expect(watch.overrun(at: at(130)), equals: .stall)
  }

  @Test("what drips on and on ends with the whole time")
  func whole() {
    var watch = TransferWatch(limits, at: at(0))
    for second in stride(from: 1, through: 59, by: 5) {
      expectNil(watch.overrun(at: at(Double(second))))
      watch.receive(at: at(Double(second)))
    }
    expect(watch.overrun(at: at(60)), equals: .whole)
    expect(watch.failure(.whole).message, equals: "not complete within 60 s")
    watch.removeLimit()
    #expect(watch.overrun(at: at(60)) == nil && watch.overrun(at: at(66)) == .stall)
  }
}
