import Expectations
import Foundation
import Loopback
import Reactive
import System
import TestScale
import TestSupport
import Testing

@testable import Browser

/// Pipelines with pages, run by the command.
@Suite(.enabled(if: Chromium.isWanted, "\(Chromium.skipped)"), .serialized) struct BrowserRunTests {
  private static let page = """
    <!DOCTYPE html><title>T</title><div id=app></div><script>
    fetch('/api' + location.pathname).then(it => it.json()).then(it => {
      app.innerHTML = `<p class=item>${it.name}</p>` })
    </script>
    """

  /// A server of pages that get their rows by a request; `/slow` never has them.
  private func site() throws -> LoopbackServer {
    try LoopbackServer { request in
      if request.target == "/api/slow" { return [.pause(milliseconds: 20_000), .reply("{}")] }
      if request.target.hasPrefix("/api/") { return [.reply(#"{"name":"\#(request.target.dropFirst(5))"}"#)] }
      return [.html(Self.page)]
    }
  }

  /// A run of a pipeline in a folder, which keeps its browsers in it.
  private func run(_ folder: TemporaryFolder, _ arguments: String...) throws -> TestProcess {
    try folder.write("config.yaml", "browser: { sandbox: \(geteuid() == 0 ? "off" : "on") }\n")
    let process = TestProcess()
    process.executableURL = try flowCommand()
    process.arguments =
      ["run", folder["p.yaml"], "--config", folder["config.yaml"], "--no-state"] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { _, own in own
    }
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    try folder.write("log", "")
    process.standardError = FileHandle(forWritingAtPath: folder["log"])
    process.standardOutput = FileHandle(forWritingAtPath: folder["log"])
    try process.run()
    return process
  }

  private func browsers(in folder: TemporaryFolder) -> [pid_t] {
    LeftoverProcesses.processes.filter { process in
      guard let bytes = try? readFile("/proc/\(process)/environ", limit: 1 << 20) else { return false }
      return String(decoding: bytes, as: UTF8.self).contains("FLOW_BROWSER=\(folder.path)")
    }
  }

  @Test("a list of pages is read four at a time, by their JSON and by their documents")
  func each() throws {
    let server = try site()
    try server.serving {
      let count = TestScale.count(12)
      let folder = try TemporaryFolder()
      try folder.write(
        "p.yaml",
        """
        sources:
          pages:
            http: { url: '\(server.url)/p\\(.)', each: [\((0..<count).map(String.init).joined(separator: ", "))], \
        concurrency: 4, browser: { wait: { for: .item } }, decode: { html: { select: .item } } }
            every: 1h
          api: { http: { url: '\(server.url)/one', browser: { response: '/api/*' } }, every: 1h }
        sinks: { out: { jsonl: out.jsonl, from: [pages, api] } }
        """)
      let process = try run(folder, "--once")
      process.waitUntilExit()
      let log = try folder.text("log")
      expect(process.terminationStatus, equals: 0, "\(log)")
      let lines = try folder.text("out.jsonl").split(separator: "\n").map(String.init).sorted()
      expect(lines, equals: ((0..<count).map { "\"p\($0)\"" } + [#"{"name":"one"}"#]).sorted())
      // Nothing is left of the browser.
      expect(Set(folder.names), equals: ["config.yaml", "log", "out.jsonl", "p.yaml"])
      expect(browsers(in: folder).count, equals: 0)
    }
  }

  @Test("of a run that is killed no process is left, and no folder after the next start")
  func killed() throws {
    let server = try site()
    try server.serving {
      let folder = try TemporaryFolder()
      let source = "http: { url: '\(server.url)/slow', browser: { response: '/api/*' } }"
      try folder.write(
        "p.yaml", "sources: { in: { \(source), every: 1h } }\nsinks: { out: { console: . } }\n")
      let process = try run(folder)
      for _ in 0..<300 where !server.received.contains(where: { $0.target == "/api/slow" }) {
        usleep(100_000)
      }
      #expect(!browsers(in: folder).isEmpty)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      for _ in 0..<100 where !browsers(in: folder).isEmpty { usleep(100_000) }
      expect(browsers(in: folder).count, equals: 0)
      let left = folder.names.filter { $0.hasPrefix("flow-browser") }
      expect(left.count, equals: 1)
      let next = try run(folder)
      for _ in 0..<300 where server.received.count(where: { $0.target == "/api/slow" }) < 2 {
        usleep(100_000)
      }
      #expect(!folder.names.contains(left[0]))
      next.terminate()
      next.waitUntilExit()
      expect(folder.names.filter { $0.hasPrefix("flow-browser") }, equals: [])
      expect(browsers(in: folder).count, equals: 0)
    }
  }

  @Test("without Chromium a run says which program there is not")
  func absent() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "p.yaml",
      "sources: { in: { http: { url: 'http://127.0.0.1:9/', browser: { response: '*' } }, every: 1h } }\nsinks: { out: { console: . } }\n"
    )
    try folder.write("config.yaml", "browser: { command: /nowhere/chromium }\n")
    let second = TestProcess()
    second.executableURL = try flowCommand()
    second.arguments = ["run", folder["p.yaml"], "--config", folder["config.yaml"], "--no-state", "--once"]
    try folder.write("log", "")
    second.standardError = FileHandle(forWritingAtPath: folder["log"])
    try second.run()
    second.waitUntilExit()
    expect(second.terminationStatus, equals: 1)
    #expect(try folder.text("log").contains("there is no program /nowhere/chromium"))
  }
}
