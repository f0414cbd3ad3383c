import Expectations
import Testing

@testable import JSON

@Suite struct EventReaderTests {
  func events(_ text: String, piece: Int = 100, isSequence: Bool = false, reportsErrors: Bool = false)
    -> [String]
  {
    let reader = EventReader(
      isSequence: isSequence, reportsErrors: reportsErrors, source: pieces(Array(text.utf8), piece))
    var all: [String] = []
    while true {
      do {
        guard let event = try reader.next() else { return all }
        all.append(event.description)
      } catch {
        all.append("\(error)")
        if !isSequence { return all }
      }
    }
  }

  @Test(arguments: [1, 2, 3, 100])
  func leavesAndClosings(_ piece: Int) {
    let text = #"{"a":[1,{"b":2},[],{}],"c":"x\u00e9"} 3 "s" [] [[1]]"#
    expect(
      events(text, piece: piece),
      equals: [
        #"[["a",0],1]"#, #"[["a",1,"b"],2]"#, #"[["a",1,"b"]]"#, #"[["a",2],[]]"#, #"[["a",3],{}]"#,
        #"[["a",3]]"#,
        #"[["c"],"xé"]"#, #"[["c"]]"#, "[[],3]", "[[],\"s\"]", "[[],[]]", "[[0,0],1]", "[[0,0]]", "[[0]]",
      ])
  }

  @Test func putTogetherTheyAreTheValue() throws {
    var random = RandomJSON(17)
    for _ in 0..<200 {
      let value = try json(random.text())
      let reader = EventReader(source: pieces(Array(value.description.utf8), 7))
      var rebuilt = Value.null
      while let event = try reader.next() {
        guard let leaf = event.element(1), let path = event.element(0)?.items else { continue }
        rebuilt = put(leaf, at: path[...], in: rebuilt)
      }
      expect(rebuilt, equals: value)
    }
  }

  private func put(_ leaf: Value, at path: ArraySlice<Value>, in whole: Value) -> Value {
    guard let step = path.first else { return leaf }
    var whole = whole
    if let key = Key(step) {
      whole.setMember(key, put(leaf, at: path.dropFirst(), in: whole.member(key) ?? .null))
    } else {
      let number = Int(step.double ?? 0)
      whole.setElement(number, put(leaf, at: path.dropFirst(), in: whole.element(number) ?? .null))
    }
    return whole
  }

  @Test(arguments: [
    (#"{"a":1,"b","#, "Objects must consist of key:value pairs at line 1, column 11"),
    (#"{{"a":"b"}}"#, "Expected string key after '{', not '{' at line 1, column 2"),
    (#"{"x":"y",{"a":"b"}}"#, "Expected string key after ',' in object, not '{' at line 1, column 10"),
    (#"{["a","b"]}"#, "Expected string key after '{', not '[' at line 1, column 2"),
    (#"{"x":"y",["a","b"]}"#, "Expected string key after ',' in object, not '[' at line 1, column 10"),
    ("[1,]", "Expected another array element at line 1, column 4"),
    ("[1}", "Unmatched '}' in the middle of an array at line 1, column 3"),
    ("]", "Unmatched ']' at the top-level at line 1, column 1"),
    ("{\"a\":}", "Missing value in key:value pair at line 1, column 6"),
    ("[1", "Unfinished JSON term at EOF at line 1, column 2"),
    ("[tru]", "Invalid literal at line 1, column 5"),
    ("[\"a", "Unfinished string at EOF at line 1, column 3"),
  ])
  func mistakesAreToldInJQsWords(_ text: String, _ message: String) {
    expect(events(text).last, equals: message)
  }

  @Test func mistakesCanBeEvents() {
    expect(
      events("[1,[2,3", reportsErrors: true),
      equals: [
        "[[0],1]", "[[1,0],2]", #"["Unfinished JSON term at EOF at line 1, column 7",[1,1]]"#,
      ])
  }

  @Test func nestingHasALimit() {
    expect(events(String(repeating: "[", count: 10_002)).last?.hasPrefix("Exceeds depth limit"), equals: true)
  }
}
