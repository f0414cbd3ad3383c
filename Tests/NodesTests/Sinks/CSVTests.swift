import Expectations
@testable import Nodes
import Engine
import JSON
import Language
import TestSupport
import Testing
import Trials

import System

@Suite("csv", .timeLimit(.minutes(30))) struct CSVTests {
  private let folder = Folder()

  private func run(_ lines: [String], _ options: String, state: TemporaryState? = nil) throws
    -> SinkBench.Seen
  {
    var bench = SinkBench()
    bench.state = state
    return try bench.run(#"it: { csv: { path: '\#(folder.path)/a.csv', \#(options) } }"#, lines: lines)
  }

  @Test("fields are quoted where they must be, and of any type")
  func fields() throws {
    _ = try run(
      [#"{"a":"x,\"y\"\nz","b":1.50,"c":null}"#, #"{"a":"ż; ","b":true,"c":[1,{"d":"e"}]}"#],
      "columns: { A: .a, 'B,b': .b, C: .c }")
    expect(
      contents(of: "\(folder.path)/a.csv"),
      equals: "A,\"B,b\",C\n\"x,\"\"y\"\"\nz\",1.50,\nż; ,true,\"[1,{\"\"d\"\":\"\"e\"\"}]\"\n")
  }

  @Test("a file has one header, whether it is continued or not", arguments: [true, false])
  func header(_ isKept: Bool) throws {
    let state = isKept ? try TemporaryState() : nil
    for number in 1...3 { _ = try run([#"{"a":\#(number)}"#], "columns: [.a]", state: state) }
    expect(contents(of: "\(folder.path)/a.csv"), equals: "a\n1\n2\n3\n")
  }

  @Test("each file of a path with data has its header; an event that fails leaves nothing")
  func files() throws {
    let seen = try SinkBench().run(
      #"it: { csv: { path: '\#(folder.path)/\(.f).csv', columns: [.f, '.n + 1'], delimiter: tab } }"#,
      lines: [#"{"f":"x","n":[]}"#, #"{"f":"x","n":1}"#, #"{"f":"y","n":2}"#, #"{"f":"x","n":3}"#])
    expect(seen.log.count, equals: 1)
    expect(contents(of: "\(folder.path)/x.csv"), equals: "f\t.n + 1\nx\t2\nx\t4\n")
    expect(contents(of: "\(folder.path)/y.csv"), equals: "f\t.n + 1\ny\t3\n")
  }

  @Test("an only field that is empty is quoted, since readers skip empty lines")
  func empty() throws {
    _ = try run([#"{"a":null}"#], "columns: [.a], header: false")
    expect(contents(of: "\(folder.path)/a.csv"), equals: "\"\"\n")
  }

  @Test("Python reads what was written", .enabled(if: Python.has("csv")))
  func independent() throws {
    let rows = [#"["a\"b","c\r\nd","é,;\t",""]"#, #"["","","",""]"#]
    _ = try run(rows, "columns: ['.[0]', '.[1]', '.[2]', '.[3]'], header: false")
    let script =
      "import csv, json, sys\nfor r in csv.reader(open(sys.argv[1], newline='')): print(json.dumps(r, ensure_ascii=False))"
    let read = Python.run(script, "\(folder.path)/a.csv").text.split(separator: "\n").map(String.init)
    try expect(read.map { try Value.parse($0) }, equals: rows.map { try Value.parse($0) })
  }
}
