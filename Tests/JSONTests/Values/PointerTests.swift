import Expectations
import Testing

@testable import JSON

@Suite struct PointerTests {
  @Test func pointersOfTheStandardFindWhatItSays() throws {
    let value = try json(
      #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#)
    let cases = [
      ("/foo/0", "\"bar\""), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"),
      ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"), ("", value.description),
    ]
    for (text, found) in cases {
      let pointer = try #require(Pointer(text))
      expect(value[pointer]?.description, equals: found, "\(text)")
      expect(pointer.description, equals: text)
    }
  }

  @Test func whatIsNotThereIsNil() throws {
    let value = try json(#"{"a":[1,2],"b":{"0":1}}"#)
    for text in ["/c", "/a/2", "/a/-", "/a/00", "/a/+1", "/a/0/x", "/b/1"] {
      expectNil(value[try #require(Pointer(text))], "\(text)")
    }
    expect(value[try #require(Pointer("/b/0"))]?.double, equals: 1)
  }

  @Test func malformedPointersAreNil() {
    for text in ["a", "/~", "/~2", "/a~"] { expectNil(Pointer(text), "\(text)") }
  }

  @Test func stepsAndTextAgree() throws {
    for steps in [[], [""], ["a/b", "m~n", "~1", "0"], ["", ""], ["żó/", "~"]] {
      let pointer = Pointer(steps: steps)
      #expect(pointer.steps == steps && Pointer(pointer.description) == pointer)
    }
  }

  @Test func aPlaceIsWithinItselfAndWhatHoldsIt() throws {
    let place = Pointer(steps: ["a", "b", "0"])
    for outer in [[], ["a"], ["a", "b"], ["a", "b", "0"]] { #expect(place.isWithin(Pointer(steps: outer))) }
    for other in [["b"], ["a", "b", "0", "1"], ["a", "b", "00"], [""]] {
      #expect(!place.isWithin(Pointer(steps: other)))
    }
    #expect(!Pointer(steps: ["ab"]).isWithin(Pointer(steps: ["a"])))
  }
}
