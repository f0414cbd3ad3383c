import Expectations
import Foundation
import JSON
import TestSupport
import Testing

@Suite("JSON Patch", .timeLimit(.minutes(30))) struct PatchTests {
  @Test("old values are asserted, and removals come last, from the end of a list")
  func form() throws {
    let before = try Value.parse(#"{"a/b":1,"l":[1,2,3,{"x":1}],"gone":null}"#)
    let after = try Value.parse(#"{"a/b":"1","l":[1,5],"new":{}}"#)
    expect(
      Value.patch(from: before, to: after).description,
      equals:
        #"[{"op":"test","path":"/a~1b","value":1},{"op":"replace","path":"/a~1b","value":"1"},{"op":"test","path":"/l/1","value":2},{"op":"replace","path":"/l/1","value":5},{"op":"add","path":"/new","value":{}},{"op":"test","path":"/gone","value":null},{"op":"remove","path":"/gone"},{"op":"test","path":"/l/3","value":{"x":1}},{"op":"remove","path":"/l/3"},{"op":"test","path":"/l/2","value":3},{"op":"remove","path":"/l/2"}]"#
    )
    expect(Value.patch(from: before, to: before).description, equals: "[]")
  }

  @Test(
    "Python's jsonpatch makes the later value of the earlier one",
    .enabled(if: Python.has("jsonpatch"), "python3 -m pip install jsonpatch, for this test"))
  func independent() throws {
    var random = Dice(state: 21)
    func value(_ depth: Int) -> Value {
      switch random.below(depth == 0 ? 4 : 7) {
      case 0: return .null
      case 1: return .number(random.below(3))
      case 2: return .string(["", "a/b", "~1", "ż"][random.below(4)])
      case 3: return .bool(random.below(2) == 0)
      case 4: return .array((0..<random.below(4)).map { _ in value(depth - 1) })
      default:
        var object = Value.emptyObject
        for name in ["a", "b/c", "~", "", "0"] where random.below(2) == 0 {
          object.setMember(Key(name), value(depth - 1))
        }
        return object
      }
    }
    let folder = Folder()
    let lines = (0..<500).map { _ in
      let (before, after) = (value(3), value(3))
      return Value.array([before, after, Value.patch(from: before, to: after)]).description
    }
    let path = folder.write("cases.jsonl", lines.joined(separator: "\n"))
    let script = """
      import json, jsonpatch, sys
      wrong = 0
      for line in open(sys.argv[1]):
        before, after, patch = json.loads(line)
        made = jsonpatch.apply_patch(before, patch) if patch else before
        wrong += json.dumps(made, sort_keys=True) != json.dumps(after, sort_keys=True)
      print(wrong)
      """
    expect(Python.run(script, path).text, equals: "0\n")
  }

  private struct Dice {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
  }
}
