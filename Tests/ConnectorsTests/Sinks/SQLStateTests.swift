import Expectations
@testable import Connectors
import Foundation
import Store
import TestSupport
import Testing
import Trials

@testable import Engine
@testable import Language

/// The sink `sql` beside its state: one of them may be older than the other, and secrets stay out of it.
@Suite(.timeLimit(.minutes(30))) struct SQLStateTests {
  private let table = SQLTrial()
  private let options = "key: .k, columns: { n: .n }, create: true"

  private func run(_ numbers: ClosedRange<Int>, _ state: TemporaryState) throws -> [String] {
    try table.run(options, lines: numbers.map { #"{"k":\#($0),"n":\#($0)}"# }, state: state).log
  }

  @Test("with a state from a backup, what comes is written, though the database has epochs of that number")
  func olderState() throws {
    let state = try TemporaryState()
    #expect(try run(1...2, state).isEmpty)
    let backup = try state.copy()
    for number in 3...6 { #expect(try run(number...number, state).isEmpty) }
    let log = try run(7...7, backup)
    #expect(log.contains { $0.has("the state is older than \(table.path)") })
    #expect(try run(8...8, backup).isEmpty)
    try expect(table.rows("select count(*) as n, max(key) as last from t"), equals: #"[{"n":8,"last":8}]"#)
  }

  @Test("a database that has lost what was written is reported, a new one of another name is not")
  func olderDatabase() throws {
    let state = try TemporaryState()
    #expect(try run(1...2, state).isEmpty)
    let backup = FileManager.default.contents(atPath: table.path)
    for number in 3...4 { #expect(try run(number...number, state).isEmpty) }
    try #require(FileManager.default.createFile(atPath: table.path, contents: backup))
    #expect(try run(5...5, state).contains { $0.has("\(table.path) has lost rows that were written") })
    #expect(try run(6...6, state).isEmpty)
    try FileManager.default.removeItem(atPath: table.path)
    #expect(try run(7...7, state).contains { $0.has("has lost rows that were written") })
    #expect(try table.rows("select key from t").has(#"{"key":7}"#))
    let other = SQLTrial()
    #expect(try other.run(options, lines: [#"{"k":8}"#], state: state).log.isEmpty)
    #expect(try other.rows().has(#"{"key":8,"n":null}"#))
  }

  @Test("secrets are sealed in the state, and written as they are")
  func secrets() throws {
    try table.make("create table t (key primary key, n check (n != 'hunter2-xyz'))")
    let state = try TemporaryState()
    var bench = SinkBench()
    bench.state = state
    bench.secrets.insert("hunter2-xyz")
    _ = try bench.run(table.sink("key: .k, columns: { n: .n }"), lines: [#"{"k":1,"n":"hunter2-xyz"}"#])
    let letter = try #require(try StateFile(path: state.path).deadLetters().first)
    #expect(!String(decoding: letter.entry.bytes, as: UTF8.self).contains("hunter2"))
    try table.make("drop table t; create table t (key primary key, n)")
    _ = try state.retryDeadLetter()
    _ = try bench.run(table.sink("key: .k, columns: { n: .n }"))
    try expect(table.rows(), equals: #"[{"key":1,"n":"hunter2-xyz"}]"#)
  }
}
