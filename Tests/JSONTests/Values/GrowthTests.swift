import Expectations
import Testing

@testable import JSON

/// What a fold over many inputs does to its state must not cost more the more there is.
@Suite struct GrowthTests {
  @Test func anObjectOfManyKeysGrowsAndShrinksInPlace() {
    var state = Value.null
    let count = 60_000
    for number in 0..<count { state.setMember(Key("key \(number)"), .number(number)) }
    for number in 0..<count { state.setMember(Key("key \(number)"), .number(number + 1)) }
    expect(state.count, equals: count)
    expect(state.member("key 777")?.double, equals: 778)
    for number in 0..<count where number % 10 != 0 { state.removeMember(Key("key \(number)")) }
    expect(state.count, equals: count / 10)
    #expect(state.member("key 770")?.double == 771 && state.member("key 771") == nil)
    #expect(state.keys.count == count / 10 && state.keys[1].name == "key 10")
  }

  @Test func innerStateChangesInPlace() throws {
    var state = Value.null
    state.setMember("seen", .emptyObject)
    state.setMember("list", .array([]))
    for number in 0..<50_000 {
      var seen = state.takeMember("seen") ?? .null
      seen.setMember(Key("\(number % 5000)"), .number(number))
      state.setMember("seen", seen)
      seen = .null
      var list = state.takeMember("list") ?? .null
      list.append(.number(number))
      state.setMember("list", list)
    }
    #expect(state.member("seen")?.count == 5000 && state.member("list")?.count == 50_000)
  }

  @Test func objectsOfOneShapeShareItUntilOneChanges() {
    let shape = Shape(["a", "b"])
    let first = Value.object(shape, [.number(1), .number(2)])
    var second = Value.object(shape, [.number(3), .number(4)])
    second.setMember("c", .number(5))
    second.removeMember("a")
    #expect(first.description == #"{"a":1,"b":2}"# && second.description == #"{"b":4,"c":5}"#)
  }
}
