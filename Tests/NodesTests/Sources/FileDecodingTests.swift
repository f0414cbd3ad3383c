import Expectations
import AllNodes
import Decode
import JSON
import Language
import Reactive
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Engine
@testable import Nodes

/// Files in a format of `decode`: resuming and following.
@Suite struct FileDecodingTests {
  @Test("a table that a run did not read to its end is resumed at the row")
  func resumed() throws {
    let folder = Folder()
    let rows = (0..<5000).map { "\($0),x\n" }.joined()
    let path = folder.write("in.csv", "n,t\n" + rows)
    let plan = try Trial.plan(
      "sources: { in: { file: { path: \(path), decode: csv } } }\nsteps: []\nsinks: { it: null }\n")
    let decoding = try #require(plan.sources.first).options[Decoding.option]
    let reader = ValueReader(try InputFile(path), path: path, decoding) { _ in }
    try expect(reader.nextBatch().count, equals: 1024)
    var position = ReadPosition(path: path, identity: try #require(FileIdentity(at: path)))
    position.format = reader.foundFormat
    position.values = 1024
    let stored = try #require(ReadPosition(position.value))
    #expect(stored.format == .csv && !stored.format.beginsAnywhere && stored.values == 1024)
    expect(decoding.resumed(as: stored.format).format, equals: .csv)
  }

  @Test("lines and text can be followed, other formats cannot")
  func followed() throws {
    for name in TextFormat.all.map(\.name) {
      let text =
        "sources: { in: { file: { path: x, follow: true, decode: \(name) } } }\nsteps: []\nsinks: { it: null }\n"
      var reader = PipelineReader(catalog: .all)
      let isRight = reader.read(path: "p.yaml", Array(text.utf8))
      expect(isRight, equals: ["json", "lines", "text"].contains(name), "\(name): \(reader.problems)")
    }
  }

  @Test("a selector that is none is reported where it goes wrong")
  func selectors() {
    var reader = PipelineReader(catalog: .all)
    let text =
      "sources: { in: { stdin: { decode: { html: { select: 'p:hover' } } } } }\nsteps: []\nsinks: { it: null }\n"
    let isRight = reader.read(path: "p.yaml", Array(text.utf8))
    #expect(!isRight)
    #expect(
      "\(reader.problems)".contains("p.yaml:1:56: this is no selector: “:hover” is not supported"),
      "\(reader.problems)")
  }

  @Test(
    "a run that was stopped within a converted file continues behind what it has sent",
    arguments: ["{ text: { charset: latin1 } }", "text"])
  func resumed(_ decode: String) throws {
    let (folder, state) = (try TemporaryFolder(), try TemporaryState())
    let text = (0..<60_000).map { "\($0) é\n" }.joined()
    let wide = "\u{feff}\(text)".utf16.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    let bytes = decode == "text" ? wide : text.unicodeScalars.map { UInt8($0.value) }
    try folder.write("in.txt", bytes)
    let plan = try Trial.plan(
      "sources: { in: { file: { path: '\(folder["in.txt"])', decode: \(decode) } } }\n"
        + "steps: []\nsinks: { it: { jsonl: '\(folder["out.jsonl"])' } }\n")
    /// The values that a run sends, which is stopped at the first of them where it should be.
    func run(_ state: TemporaryState, stops: Bool) throws -> [String] {
      let (heard, ends) = (Journal<String>(), Journal<Bool>())
      let stopped = ConditionLock(!stops)
      var options = RunOptions(world: .real, log: Log { _ in }, screen: silentScreen)
      options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
      options.sink = { _, _ in
        Hearing { value in
          heard.note(value.string ?? "")
          _ = stopped.wait { $0 ? true : nil }
        }
      }
      let run = try PipelineRun(plan, options, clock: nil) { ends.note($0) }
      run.start()
      #expect(eventually { !heard.entries.isEmpty })
      if stops {
        run.stop()
        stopped.change { $0 = true }
      }
      #expect(eventually { !ends.entries.isEmpty })
      return heard.entries
    }
    let (first, second) = (try run(state, stops: true), try run(try state.copy(), stops: false))
    #expect(
      first + second == (0..<60_000).map { "\($0) é" } && !second.isEmpty, "\(first.count), \(second.count)")
  }
}

private final class Hearing: Sink {
  private let note: (Value) -> Void

  init(_ note: @escaping (Value) -> Void) { self.note = note }

  func take(_ event: Event) { note(event.value) }
}
