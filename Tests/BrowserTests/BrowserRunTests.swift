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
  private func run(_ folder: TemporaryFolder, _ arguments: String..., state: String? = nil) throws
    -> TestProcess
  {
    try folder.write("config.yaml", "browser: { sandbox: \(geteuid() == 0 ? "off" : "on") }\n")
    let process = TestProcess()
    process.executableURL = try flowCommand()
    process.arguments =
      ["run", folder["p.yaml"], "--config", folder["config.yaml"]]
      + (state.map { ["--state", $0] } ?? ["--no-state"]) + arguments
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

  /// The processes of browsers in a folder, and the bytes of memory that they share with no file.
  private func usage(in folder: TemporaryFolder) -> (processes: Int, memory: Int) {
    // Some of them have overwritten their environment.
    let groups = Set(browsers(in: folder).map { getpgid($0) })
    let all = LeftoverProcesses.processes.filter { groups.contains(getpgid($0)) }
    let pages = all.reduce(0) { sum, process in
      let text = (try? readFile("/proc/\(process)/statm", limit: 4096)) ?? []
      let words = String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
      return words.count > 2 ? sum + words[1] - words[2] : sum
    }
    return (all.count, pages * 4096)
  }

  @Test("fifty addresses, four at a time: memory and processes are the same after many pages as after some")
  func steady() throws {
    let server = try site()
    try server.serving {
      let count = TestScale.count(50)
      let folder = try TemporaryFolder()
      try folder.write(
        "p.yaml",
        """
        sources:
          pages:
            http: { url: '\(server.url)/p\\(.)', each: [\((0..<50).map(String.init).joined(separator: ", "))], \
        concurrency: 4, browser: { response: '/api/*' } }
            every: 1s
        sinks: { out: { count: {} } }
        """)
      let process = try run(folder)
      func pages() -> Int { server.received.count { $0.target.hasPrefix("/api/") } }
      var seen: [(pages: Int, processes: Int, memory: Int)] = []
      let end = Date() + 600
      while pages() < count, process.isRunning, Date() < end {
        let usage = usage(in: folder)
        if usage.processes > 0 { seen.append((pages(), usage.processes, usage.memory)) }
        usleep(250_000)
      }
      process.terminate()
      process.waitUntilExit()
      let log = try folder.text("log")
      #expect(pages() >= count, "\(log)")
      expect(browsers(in: folder).count, equals: 0)
      let (early, late) = (seen.filter { $0.pages < count / 2 }, seen.filter { $0.pages >= count / 2 })
      let most = (late.map(\.processes).max() ?? 0, late.map(\.memory).max() ?? 0)
      print("steady: \(count) pages, at most \(most.0) processes and \(most.1 >> 20) MB in their second half")
      // Between two browsers there may be both for a moment.
      #expect(most.0 <= 2 * (early.map(\.processes).max() ?? 0))
      #expect(most.1 < 3 << 30 && most.1 <= 2 * (early.map(\.memory).max() ?? 0), "\(seen)")
    }
  }

  @Test("a notification carries the picture of the page")
  func picture() throws {
    let server = try LoopbackServer { request in
      request.method == "PUT" || request.method == "POST"
        ? [.reply("{}")] : [.html("<title>T</title><p class=item>\(request.target)</p>")]
    }
    try server.serving {
      let folder = try TemporaryFolder()
      let to = server.url.replacing("http://", with: "ntfy+http://")
      try folder.write(
        "p.yaml",
        """
        sources: { page: { http: { url: '\(server.url)/a', browser: { screenshot: true }, decode: { html: { select: .item } } }, every: 1h } }
        sinks: { tell: { notify: { to: '\(to)/lamps', title: 'now \\(.)', picture: '\\($meta.screenshot)' } } }
        """)
      let process = try run(folder, "--once", state: folder["state"])
      process.waitUntilExit()
      let log = try folder.text("log")
      expect(process.terminationStatus, equals: 0, "\(log)")
      let sent = try #require(server.received.first { $0.method == "PUT" }, "\(log)")
      #expect(sent.target == "/lamps" && sent.headers["x-title"] == "now /a")
      #expect(sent.body.starts(with: [0x89, 0x50, 0x4e, 0x47]))
    }
  }

  @Test(
    "with its sandbox, as a user who is not root",
    .enabled(if: geteuid() != 0 || OtherUser.canRun, "the user 65534 cannot run the command here"))
  func sandboxed() throws {
    let server = try site()
    try server.serving {
      let folder = try TemporaryFolder()
      chmod(folder.path, 0o777)
      try folder.write(
        "p.yaml",
        "sources: { api: { http: { url: '\(server.url)/one', browser: { response: '/api/*' } }, every: 1h } }\nsinks: { out: console }\n"
      )
      try folder.write("config.yaml", "browser: { sandbox: on }\n")
      let process = TestProcess()
      process.executableURL = URL(fileURLWithPath: geteuid() == 0 ? "/usr/bin/setpriv" : "/usr/bin/env")
      process.arguments =
        (geteuid() == 0 ? OtherUser.arguments : [])
        + [try flowCommand().path, "run", folder["p.yaml"], "--no-state", "--once"]
      process.environment = ProcessInfo.processInfo.environment.merging([
        "TMPDIR": folder.path, "HOME": folder.path,
      ]) { _, own in own }
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      try folder.write("log", "")
      process.standardError = FileHandle(forWritingAtPath: folder["log"])
      process.standardOutput = FileHandle(forWritingAtPath: folder["log"])
      try process.run()
      process.waitUntilExit()
      let log = try folder.text("log")
      #expect(process.terminationStatus == 0 && log.contains(#"{"name":"one"}"#), "\(log)")
    }
  }

  /// Runs `flow new` in a folder whose config names the browser, and returns its status, output and messages.
  private func new(_ folder: TemporaryFolder, _ browser: String, _ arguments: String...) throws -> (
    Int32, String, String
  ) {
    try folder.write("config.yaml", "browser: { \(browser) }\n")
    try folder.write("stdout", "")
    try folder.write("log", "")
    let process = TestProcess()
    process.executableURL = try flowCommand()
    process.arguments = ["new"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardOutput = FileHandle(forWritingAtPath: folder["stdout"])
    process.standardError = FileHandle(forWritingAtPath: folder["log"])
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try folder.text("stdout"), try folder.text("log"))
  }

  private static let shell = """
    <!DOCTYPE html><title>T</title><div id=app></div><script>
    fetch('/menu').then(it => it.json()).then(() => fetch('/api/list?page=1')).then(it => it.json()).then(it => {
      app.innerHTML = '<ul>' + it.items.map(it => `<li class=item><b>${it.name}</b> <i>${it.price} €</i></li>`).join('') + '</ul>' })
    </script>
    """

  private func shell(isList: Bool = true) throws -> LoopbackServer {
    let items = (1...4).map { #"{"id":\#($0),"name":"Lamp \#($0)","price":\#($0).5}"# }.joined(separator: ",")
    return try LoopbackServer { request in
      switch request.target.prefix(4) {
      case "/api":
        [.reply("{\"items\":[\(items)]}", ["Content-Type: \(isList ? "application/json" : "text/plain")"])]
      case "/men":
        [
          .reply(
            #"[{"to":"/secret-one"},{"to":"/secret-two"},{"to":"/secret-three"}]"#,
            ["Content-Type: application/json"])
        ]
      default: [.html(Self.shell)]
      }
    }
  }

  @Test(
    "a page that is empty but for its scripts is opened: its JSON, else its repeated elements, and the others named"
  )
  func from() throws {
    for isList in [true, false] {
      let server = try shell(isList: isList)
      try server.serving {
        let folder = try TemporaryFolder()
        let (status, text, log) = try new(
          folder, "sandbox: \(geteuid() == 0 ? "off" : "on")", "shop", "--from", "\(server.url)/", "--once")
        expect(status, equals: 0, "\(log)")
        #expect(log.contains("its scripts fill it in, so Chromium opens it"), "\(log)")
        #expect(log.contains("/menu: 3 rows, .[], with to"), "\(log)")
        let own = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
        let rest = text.split(separator: "\n").filter { $0.hasPrefix("#") }.joined(separator: "\n")
        #expect(own.contains(isList ? "browser: { response: '/api/list*' }" : "select: '.item'"), "\(text)")
        #expect(rest.contains("response: '/menu'"), "\(text)")
        #expect(!isList || rest.contains("select: '.item'"), "\(text)")
        try folder.write("p.yaml", text + "  all: { jsonl: rows.jsonl, from: shop }\n")
        let process = try run(folder, "--once")
        process.waitUntilExit()
        let ran = try folder.text("log")
        expect(process.terminationStatus, equals: 0, "\(ran)")
        let first = try folder.text("rows.jsonl").split(separator: "\n").first.map(String.init)
        expect(
          first,
          equals: isList ? #"{"id":1,"name":"Lamp 1","price":1.5}"# : #"{"title":"Lamp 1","amount":"1.5 €"}"#)
      }
    }
  }

  @Test("a page behind a login is opened with the profile that a run has left")
  func profile() throws {
    let server = try LoopbackServer { request in
      if request.target == "/login" {
        return [
          .reply("<p class=item>in</p>", ["Content-Type: text/html", "Set-Cookie: who=me; Max-Age=9999"])
        ]
      }
      let knows = request.headers["cookie"]?.contains("who=me") == true
      let items = knows ? "[\"Lamp 1\",\"Lamp 2\",\"Lamp 3\"]" : "[]"
      return [
        .html(
          "<title>T</title><div id=app></div><script>app.innerHTML = \(items).map(it => `<p class=item><b>${it}</b></p>`).join('')</script>"
        )
      ]
    }
    try server.serving {
      let folder = try TemporaryFolder()
      try folder.write(
        "p.yaml",
        """
        sources: { shop: { http: { url: '\(server.url)/login', browser: { profile: logins }, decode: { html: { select: .item } } }, every: 1h } }
        sinks: { out: console }
        """)
      let process = try run(folder, "--once", state: folder["state"])
      process.waitUntilExit()
      let ran = try folder.text("log")
      expect(process.terminationStatus, equals: 0, "\(ran)")
      let sandbox = "sandbox: \(geteuid() == 0 ? "off" : "on")"
      let (status, text, log) = try new(
        folder, sandbox, "shop", "--from", "\(server.url)/", "--once", "--profile", "logins")
      expect(status, equals: 0, "\(log)")
      #expect(
        text.contains("profile: logins") && log.contains("3 rows") && !text.contains("gsub"), "\(text)\(log)")
      let without = try new(folder, sandbox, "--from", "\(server.url)/", "--once")
      #expect(!without.1.contains("Lamp"), "\(without)")
      let alone = try new(folder, sandbox, "--profile", "logins")
      #expect(alone.0 == 2 && alone.2.contains("--profile belongs to --from URL or --pick URL"), "\(alone)")
    }
  }

  @Test("without Chromium both ways say what to install, and --pick says what it cannot use")
  func absentForNew() throws {
    let server = try shell()
    try server.serving {
      let folder = try TemporaryFolder()
      let missing = "command: /nowhere/chromium"
      let (status, text, log) = try new(folder, missing, "--from", "\(server.url)/", "--once")
      #expect(status == 1 && text.isEmpty && log.contains("there is no program /nowhere/chromium"), "\(log)")
      let pick = try new(folder, missing, "--pick", "\(server.url)/")
      #expect(pick.0 == 1 && pick.2.contains("there is no program /nowhere/chromium"), "\(pick)")
      let both = try new(folder, missing, "--pick", "\(server.url)/", "--once")
      #expect(both.0 == 2 && both.2.contains("--pick cannot be combined with --once"), "\(both)")
      let word = try new(folder, missing, "--pick", "shop")
      #expect(word.0 == 2 && word.2.contains("--pick takes the address of a page"), "\(word)")
      let there = try new(folder, missing, "--pick", "\(server.url)/", "-o", "config.yaml")
      #expect(there.0 == 2 && there.2.contains("config.yaml already exists"), "\(there)")
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

/// The user without rights, as whom root runs the command.
private enum OtherUser {
  static let arguments = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"]

  /// Whether that user may run the command, wherever it was built.
  static var canRun: Bool {
    guard let flow = try? flowCommand() else { return false }
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments = arguments + [flow.path, "version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
