import Expectations
@testable import Connectors
@testable import Delivery
import TestSupport
import Fetch
import Store
import Testing
import Trials

/// What sinks have stored in the outbox stays readable: these texts were written by flow 0.1.0, and must never change.
@Suite(.serialized, .timeLimit(.minutes(30))) struct StoredTasksTests {
  private let folder = Folder()
  private let asked = Journal<TransferOrder>()

  private static let event =
    #""event":{"value":{"a":"x","u":"http://a/f"},"source":"api","at":1767225600,"poll":1}"#
  private static let commands = [
    #"{"arguments":["sh","-c","exit 1","sh","x"],"input":"xx","environment":{"B":"b","N":"x"},\#(event)}"#,
    #"{"arguments":["false"],\#(event)}"#, #"{"arguments":["false","x",""],"input":""}"#,
  ]
  private static let requests = [
    #"{"data":["x"],"headers":{"X-A":"x"},"body":"{\"a\":\"x\"}",\#(event)}"#, #"{"data":[],\#(event)}"#,
  ]
  private static let downloads = [#"{"url":"http://a/f","path":"/tmp/xx/x",\#(event)}"#]

  private func again<Task: DeliveryItem>(_ text: String, _ type: Task.Type) -> String? {
    Task(stored: Array(text.utf8)).map { String(decoding: $0.stored, as: UTF8.self) }
  }

  @Test("a stored task is read, and stored as the same bytes")
  func bytes() {
    for text in Self.commands { expect(again(text, CommandItem.self), equals: text) }
    for text in Self.requests { expect(again(text, RequestItem.self), equals: text) }
    for text in Self.downloads { expect(again(text, DownloadItem.self), equals: text) }
  }

  /// Runs a sink whose outbox has an entry already, and nothing more to do; checks that it is done with.
  private func recover(_ sink: String, _ text: String) throws -> SinkBench.Seen {
    let state = try TemporaryState()
    do {
      let entry = OutboxEntry(
        sink: "go", place: OutputPlace(epoch: 0, index: 0), id: "p/go/old-1", bytes: Array(text.utf8))
      try StateFile(path: state.path).update { epoch throws(StoreError) in try epoch.put(entry) }
    }
    var bench = SinkBench.answering([.init("whole")], noting: asked)
    bench.state = state
    let seen = try bench.run("go: { \(sink) }", lines: [])
    let reader = try StateReader(path: state.path)
    #expect(try reader.outbox(sink: "go").isEmpty && reader.deadLetters().isEmpty && !seen.hasFailed)
    return seen
  }

  @Test("exec runs a stored command with its own arguments, input, variables and id")
  func exec() throws {
    let script = #"cat; echo \"|$1|$N|$FLOW_SOURCE|$FLOW_POLL|$FLOW_EVENT_ID\""#
    let text = Self.commands[0].replacing("exit 1", with: script)
    let seen = try recover("exec: { command: ['false'], output: stdout }", text)
    expect(seen.text, equals: "xx|x|x|api|1|p/go/old-1\n")
  }

  @Test("http sends a stored request to the address of the pipeline")
  func http() throws {
    let sink = #"http: { url: 'http://a/\(.a)', headers: { X-A: '\(.a)' }, body: '{a}' }"#
    _ = try recover(sink, Self.requests[0])
    _ = try recover("http: 'http://a/'", Self.requests[1])
    expect(asked.entries.map(\.address.text), equals: ["http://a/x", "http://a/"])
    expect(asked.entries.map { $0.header("Idempotency-Key") }, equals: ["p/go/old-1", "p/go/old-1"])
    expect(asked.entries.map { $0.header("X-A") }, equals: ["x", nil])
    expect(
      asked.entries.map { String(decoding: $0.body, as: UTF8.self) },
      equals: [
        #"{"a":"x"}"#, #"{"a":"x","u":"http://a/f"}"#,
      ])
  }

  @Test("download fetches a stored file")
  func download() throws {
    let text = Self.downloads[0].replacing("/tmp/xx", with: folder.path)
    _ = try recover(#"download: { url: .u, path: '\#(folder.path)/\(.a)' }"#, text)
    expect(asked.entries.map(\.address.text), equals: ["http://a/f"])
    expect(contents(of: "\(folder.path)/x"), equals: "whole")
  }

  @Test("notify shows a stored line, and runs a stored command whatever way it is to use now")
  func notify() throws {
    try expect(
      recover("notify: { title: t, through: bell }", #""n1: is here""#).log, equals: ["go: n1: is here"])
    let command = Self.commands[2].replacing("false", with: "echo")
    try expect(recover("notify: { title: t, through: bell }", command).log, equals: ["go: x "])
  }
}
