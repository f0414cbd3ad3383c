import Expectations
import JSON
import Reactive
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Connectors
@testable import Engine

/// Connections to a PostgreSQL server that does not answer, or not as it should.
@Suite(.timeLimit(.minutes(5))) struct PQConnectionTests {
  @Test("a login whose settings are not answered is a failed poll, in the time that the query may take")
  func settings() throws {
    let server = try SilentPostgreSQL { _ in .nothing }
    defer { server.stop() }
    let trial = try WebTrial("sql: { url: '\(server.address)', query: select 1, timeout: 300ms }") { _ in
      .init("")
    }
    var error: (any Error)?
    let time = elapsed { error = #expect(throws: SQLFailure.self) { try trial.poll() } }
    #expect(time < .seconds(5))
    #expect(error.map { "\($0)" }?.has("took longer than the timeout, 300ms") == true, "\(error as Any)")
  }

  @Test("settings that are answered with rows without an end are refused")
  func rows() throws {
    let server = try SilentPostgreSQL { _ in .rows }
    defer { server.stop() }
    let trial = try WebTrial("sql: { url: '\(server.address)', query: select 1 }") { _ in .init("") }
    let error = #expect(throws: SQLFailure.self) { try trial.poll() }
    #expect(error?.description.has("the answer is longer than 16777216 bytes") == true, "\(error as Any)")
  }

  @Test(
    "a statement that is not answered is reported at growing distances, and ends by the limit of patience")
  func patience() throws {
    let server = try SilentPostgreSQL { _ in .nothing }
    defer { server.stop() }
    let connection = try PQConnection(server.address, StopSign())
    (connection.end, connection.patience, connection.firstReport) = (nil, .seconds(2), .milliseconds(200))
    var reports = 0
    connection.silence = { reports += 1 }
    let error = #expect(throws: PQError.self) { try connection.run("select 1") }
    #expect(error?.isSilence == true && error?.mayPass == true && error?.isLost == true)
    // After 0.2, 0.4, 0.8 and 1.6 seconds, as far as a busy machine has looked.
    #expect((1...4).contains(reports))
  }

  @Test("a notice of the server is a detail of the log, without control characters")
  func notices() throws {
    let server = try SilentPostgreSQL { _ in .done(notice: "a\u{1b}]0;b\u{7}") }
    defer { server.stop() }
    var notices: [String] = []
    let connection = try PQConnection(server.address, StopSign()) { notices.append($0) }
    try connection.run("set a = b")
    expect(notices, equals: [#"NOTICE:  00000: a\u001b]0;b\u0007"#])
  }
}
