import Expectations
import Testing

@testable import JSON

@Suite struct DifferenceTests {
  func differences(_ before: String, _ after: String, key: Key? = nil) throws -> [String] {
    try Value.differences(from: json(before), to: json(after), key: key).map(\.value.description)
  }

  @Test func equalValuesHaveNone() throws {
    #expect(try differences(#"{"a":[1.0,{"b":null}]}"#, #"{"a":[1,{"b":null}]}"#).isEmpty)
  }

  @Test func eachChangedLeafIsOneEntry() throws {
    try expect(
      differences(#"{"a":1,"b":{"c":"x","d":[1,2]}}"#, #"{"a":2,"b":{"c":"y","d":[1,3]}}"#),
      equals: [
        #"{"path":"/a","before":1,"after":2}"#, #"{"path":"/b/c","before":"x","after":"y"}"#,
        #"{"path":"/b/d/1","before":2,"after":3}"#,
      ])
  }

  @Test func whatOneSideLacksIsOneEntryHoweverMuchIsBeneath() throws {
    try expect(
      differences(#"{"a":{"x":1,"y":2}}"#, #"{"b":[1,[2]]}"#),
      equals: [
        #"{"path":"/a","before":{"x":1,"y":2}}"#, #"{"path":"/b","after":[1,[2]]}"#,
      ])
    try expect(
      differences("[1,2,3]", "[1]"), equals: [#"{"path":"/1","before":2}"#, #"{"path":"/2","before":3}"#])
  }

  @Test func aChangedKindIsOneEntry() throws {
    try expect(
      differences(#"{"a":{"b":1}}"#, #"{"a":[1]}"#), equals: [#"{"path":"/a","before":{"b":1},"after":[1]}"#])
    try expect(differences("1", "\"1\""), equals: [#"{"path":"","before":1,"after":"1"}"#])
    try expect(differences("[null]", "[false]"), equals: [#"{"path":"/0","before":null,"after":false}"#])
  }

  @Test func aNamedKeyPairsElementsWhereverTheyStand() throws {
    let before = #"[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"c"}]"#
    let after = #"[{"id":4,"n":"d"},{"id":2,"n":"x"},{"id":1,"n":"a"}]"#
    try expect(
      differences(before, after, key: "id"),
      equals: [
        #"{"path":"/1/n","before":"b","after":"x"}"#, #"{"path":"/2","before":{"id":3,"n":"c"}}"#,
        #"{"path":"/0","after":{"id":4,"n":"d"}}"#,
      ])
  }

  @Test func withoutTheKeyEverywhereOrTwiceTheSamePositionsCount() throws {
    try expect(differences(#"[{"id":1},2]"#, #"[2,{"id":1}]"#, key: "id").count, equals: 2)
    try expect(
      differences(#"[{"id":1,"n":1},{"id":1,"n":2}]"#, #"[{"id":1,"n":2},{"id":1,"n":1}]"#, key: "id")
        .count, equals: 2)
  }

  @Test func membersInAnotherOrderAreTheSame() throws {
    var random = RandomJSON(5)
    for _ in 0..<300 {
      guard case let value = try json(random.text()), value.kind == .object else { continue }
      var names = value.keys
      names.shuffle(using: &random.random)
      var other = Value.emptyObject
      for name in names { other.setMember(name, value.member(name) ?? .null) }
      // As it was read, and as it was built.
      let pairs = try [(value, other), (other, value), (value, json(other.description))]
      for (before, after) in pairs { #expect(Value.differences(from: before, to: after).isEmpty) }
      guard let first = names.first else { continue }
      let without = names.dropFirst().reduce(into: Value.emptyObject) {
        $0.setMember($1, other.member($1) ?? .null)
      }
      for (before, after) in [(value, without), (try json(value.description), try json(without.description))]
      {
        let gone = Value.differences(from: before, to: after)
        #expect(gone.count == 1 && gone[0].path.steps == [first.name] && gone[0].after == nil)
        let came = Value.differences(from: after, to: before)
        #expect(came.count == 1 && came[0].path.steps == [first.name] && came[0].before == nil)
      }
    }
  }

  /// Values that were read are compared on their tapes where they have the same names, built ones member by member.
  @Test func whatWasReadAndWhatWasBuiltDifferAlike() throws {
    var random = RandomJSON(23)
    var found = 0
    for round in 0..<600 {
      guard case let value = try json(random.text()), value.kind == .object else { continue }
      var built = value
      for (number, name) in value.keys.enumerated() where (number + round) % 3 == 0 {
        built.setMember(name, try json(random.text()))
      }
      let read = try json(built.description)
      let entries = Value.differences(from: value, to: read)
      found += entries.count
      expect(entries, equals: Value.differences(from: value, to: built))
      expect(entries.isEmpty, equals: (value == read))
      #expect(entries.allSatisfy { value[$0.path] == $0.before && read[$0.path] == $0.after })
    }
    #expect(found > 100)
    try expect(differences(#"{"a":nan}"#, #"{"a":nan}"#).count, equals: 1)
    #expect(try differences(#"{"a":"","b":[],"c":1}"#, #"{"a":"","b":[],"c":1.0}"#).isEmpty)
  }

  @Test func aNameThatIsRepeatedCountsOnce() throws {
    let (twice, other) = (#"{"a":1,"a":1}"#, #"{"a":1,"b":2}"#)
    try expect(differences(twice, other), equals: [#"{"path":"/b","after":2}"#])
    try expect(differences(other, twice), equals: [#"{"path":"/b","before":2}"#])
  }

  @Test func namesAreEscapedInPaths() throws {
    try expect(
      differences(#"{"a/b":{"~":1}}"#, #"{"a/b":{"~":2}}"#),
      equals: [
        #"{"path":"/a~1b/~0","before":1,"after":2}"#
      ])
  }

  @Test func aScopeLeavesOutWhatIsNotWithinIt() throws {
    let (before, after) = (
      try json(#"{"a":1,"b":{"c":1,"d":[1,{"e":1}]},"f":null}"#),
      try json(#"{"a":2,"b":{"c":2,"d":[2,{"e":2}]},"f":{"g":1}}"#)
    )
    let pointers = ["/a", "/b", "/b/c", "/b/d/1", "/f/g", "/b/c/x", ""].compactMap { Pointer($0) }
    let all = Value.differences(from: before, to: after)
    for place in pointers {
      let near = all.filter { $0.path.isWithin(place) || place.isWithin($0.path) }
      expect(Value.differences(from: before, to: after, in: DifferenceScope(watched: [place])), equals: near)
      let rest = all.filter { !$0.path.isWithin(place) }
      expect(Value.differences(from: before, to: after, in: DifferenceScope(ignored: [place])), equals: rest)
    }
    #expect(Value.differences(from: before, to: after, in: DifferenceScope(watched: [])).isEmpty)
  }
}
