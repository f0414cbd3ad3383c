import Expectations
import Foundation
import Loopback
import Reactive
import System
import Testing
import TestSupport

@testable import Browser
@testable import Fetch

/// The browser as a process: when it starts and ends, and what is left of it.
@Suite(.enabled(if: Chromium.isWanted, "\(Chromium.skipped)"), .serialized) struct BrowserProcessTests {
  private func site() throws -> LoopbackServer {
    try LoopbackServer { request in
      request.target == "/slow"
        ? [.pause(milliseconds: 5000), .html("<p class=item>late</p>")]
        : [.html("<title>T</title><p class=item>\(request.target)</p>")]
    }
  }

  /// The processes of browsers in a folder.
  private func processes(in folder: TemporaryFolder) -> [pid_t] {
    LeftoverProcesses.processes.filter { process in
      guard let bytes = try? readFile("/proc/\(process)/environ", limit: 1 << 20) else { return false }
      return String(decoding: bytes, as: UTF8.self).contains("FLOW_BROWSER=\(folder.path)")
    }
  }

  @Test("it starts with the first page, ends when it has nothing to do, and leaves nothing")
  func idle() throws {
    let server = try site()
    try server.serving {
      let folder = try TemporaryFolder()
      var settings = Chromium.settings(in: folder.path)
      // Longer than a busy machine needs between the start and the page.
      settings.idleTime = .seconds(3)
      let transport = BrowserTransport(over: NoTransport(), settings)
      expect(processes(in: folder).count, equals: 0)
      #expect(try visit("\(server.url)/a", through: transport).body.contains("/a"))
      #expect(!processes(in: folder).isEmpty)
      for _ in 0..<100 where !folder.names.isEmpty || !processes(in: folder).isEmpty { usleep(100_000) }
      expect(folder.names, equals: [])
      expect(processes(in: folder).count, equals: 0)
      // And starts again.
      #expect(try visit("\(server.url)/b", through: transport).body.contains("/b"))
    }
  }

  @Test("one that is killed during a poll fails it so that it is tried again, and the next page has another")
  func killed() throws {
    let server = try site()
    try server.serving {
      let folder = try TemporaryFolder()
      let transport = BrowserTransport(over: NoTransport(), Chromium.settings(in: folder.path))
      #expect(try visit("\(server.url)/a", through: transport).body.contains("/a"))
      let victims = processes(in: folder)
      Thread.detachNewThread {
        while !server.received.contains(where: { $0.target == "/slow" }) { usleep(50_000) }
        for process in victims { kill(process, SIGKILL) }
      }
      let found = try visit("\(server.url)/slow", through: transport)
      guard case .failure(let error) = found else {
        Issue.record("\(found)")
        return
      }
      expect(error, equals: TransferError(.interrupted, "the browser has ended"))
      #expect(try visit("\(server.url)/b", through: transport).body.contains("/b"))
    }
  }

  @Test("it is replaced after some pages, and four pages are open at once")
  func replaced() throws {
    let server = try site()
    try server.serving {
      let folder = try TemporaryFolder()
      var settings = Chromium.settings(in: folder.path)
      settings.mostPages = 3
      let transport = BrowserTransport(over: NoTransport(), settings)
      let found = concurrently(8, threads: 8) { index in
        (try? visit("\(server.url)/p\(index)", through: transport).body) ?? ""
      }
      for (index, body) in found.enumerated() { #expect(body.contains("/p\(index)"), "\(body)") }
    }
  }

  @Test("above its bound of memory it is replaced, and far above ended with the page, which is the reason")
  func memory() throws {
    let server = try site()
    try server.serving {
      let folder = try TemporaryFolder()
      var settings = Chromium.settings(in: folder.path)
      // Above it, and not twice as much, with a page of nothing.
      settings.mostMemory = 150 << 20
      let transport = BrowserTransport(over: NoTransport(), settings)
      let body = try visit("\(server.url)/a", through: transport).body
      #expect(body.contains("/a"), "\(body)")
      // The page was the last one of its browser, which has ended.
      for _ in 0..<100 where !processes(in: folder).isEmpty { usleep(100_000) }
      expect(processes(in: folder).count, equals: 0)
      settings.mostMemory = 20 << 20
      let smaller = BrowserTransport(over: NoTransport(), settings)
      let found = try visit("\(server.url)/slow", through: smaller)
      let failure = try #require(found.failure)
      #expect(failure.hasPrefix("the browser was ended: with this page it needs "), "\(failure)")
      #expect(failure.hasSuffix(" MB of memory"))
    }
  }

  @Test("a profile keeps what a page has stored, for one source")
  func profile() throws {
    let server = try LoopbackServer { request in
      [
        .html(
          "<title>T</title><p>\(request.headers["cookie"] ?? "none")</p>", ["Set-Cookie: a=1; Max-Age=9999"])
      ]
    }
    try server.serving {
      let folder = try TemporaryFolder()
      let transport = BrowserTransport(over: NoTransport(), Chromium.settings(in: folder.path))
      #expect(try visit(server.url, through: transport) { $0.profile = folder["p"] }.body.contains("none"))
      #expect(try visit(server.url, through: transport) { $0.profile = folder["p"] }.body.contains("a=1"))
      let other = try visit(server.url, through: transport) {
        ($0.profile, $0.source) = (folder["p"], "other")
      }
      expect(
        other.failure, equals: "the profile \(folder["p"]) belongs to the source shop; give each its own")
    }
  }

  @Test("what a killed process has left goes with the next start")
  func leftovers() throws {
    let folder = try TemporaryFolder()
    mkdir(folder["flow-browser-000000"], 0o700)
    try folder.write("flow-browser-000000/flow.lock", "")
    let child = TestProcess()
    child.executableURL = URL(fileURLWithPath: "/bin/sleep")
    child.arguments = ["60"]
    child.environment = ["FLOW_BROWSER": folder["flow-browser-000000"]]
    try child.run()
    let next = try BrowserFolder(in: folder.path)
    expect(folder.names, equals: [splitPath(next.path).name])
    #expect(eventually { !child.isRunning })
    // One that is in use stays.
    let third = try BrowserFolder(in: folder.path)
    expect(folder.names.count, equals: 2)
    next.remove()
    third.remove()
    expect(folder.names, equals: [])
  }
}
