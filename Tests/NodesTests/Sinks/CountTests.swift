import Expectations
@testable import Nodes
import Trials
import Testing

import System

@Suite struct CountTests {
  @Test("the number of events is printed at the end")
  func total() throws {
    try expect(SinkBench().run("n: count", lines: ["1", "null", "{}"]).writes, equals: ["{\"count\":3}\n"])
    try expect(SinkBench().run("n: count", lines: []).writes, equals: ["{\"count\":0}\n"])
  }

  @Test("keys are counted each, the most frequent first")
  func keys() throws {
    let lines = [#""b""#, #""a""#, "1", #""a""#, "null", "[1]", #""a""#, "1"]
    try expect(
      SinkBench().run("n: { count: . }", lines: lines).text,
      equals: #"{"count":8,"by":{"a":3,"1":2,"b":1,"null":1,"[1]":1}}"# + "\n")
  }

  @Test("the key may be called key, as elsewhere")
  func otherName() throws {
    try expect(
      SinkBench().run("n: { count: { key: . } }", lines: ["1", "1"]).text,
      equals: #"{"count":2,"by":{"1":2}}"# + "\n")
  }

  @Test("of too many keys the last are counted together")
  func tooMany() throws {
    try expect(
      SinkBench().run("n: { count: { by: ., max_keys: 2 } }", lines: ["1", "2", "3", "4", "2", "3"]).text,
      equals: #"{"count":6,"by":{"2":2,"1":1,"…":3}}"# + "\n")
  }

  @Test("the totals so far are printed with each poll, if wanted")
  func polls() throws {
    try expect(
      SinkBench().run("n: { count: { each_poll: true } }", polls: [["1", "2"], [], ["3"]]).writes,
      equals: [2, 2, 3, 3].map { "{\"count\":\($0)}\n" })
  }
}
