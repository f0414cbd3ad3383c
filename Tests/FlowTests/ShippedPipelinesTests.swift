import Expectations
import Foundation
import Testing

/// The pipelines that come with flow: each says what it is for, passes check, and has tests that pass.
@Suite("the pipelines that are shipped")
struct ShippedPipelinesTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL.path
  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/pipelines"))?
    .filter { $0.hasSuffix(".yaml") }.sorted() ?? []

  private func flow(_ arguments: String...) throws -> Outcome {
    let place = try Workplace()
    return try place.shell("cd '\(Self.root)' && exec \"$0\" \(arguments.joined(separator: " "))")
  }

  @Test("there are some")
  func some() { #expect(Self.names.count >= 10) }

  @Test("its own tests pass, and it has some", arguments: names)
  func tests(_ name: String) throws {
    let outcome = try flow("test", "pipelines/\(name)")
    expect(outcome.status, equals: 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("  ok  "), "\(outcome.output)")
  }

  @Test("it begins with what it does, and how it is run and changed", arguments: names)
  func header(_ name: String) throws {
    let text = try String(contentsOfFile: "\(Self.root)/pipelines/\(name)", encoding: .utf8)
    let header = text.split(separator: "\n").prefix { $0.hasPrefix("#") }
    #expect(header.count >= 3, "its header is too short")
    #expect(header.contains { $0.contains("flow run") && $0.contains("pipelines/\(name)") })
    #expect(text.contains("\ndescription: "))
  }

  @Test(
    "git-scrape keeps the rows of all pages of a list, also of one without a count", arguments: [true, false])
  func pages(_ isCounted: Bool) throws {
    let place = try Workplace()
    try place.write(
      "server.py",
      """
      import http.server, json, os
      class Handler(http.server.BaseHTTPRequestHandler):
          def do_GET(self):
              page = {"results": [{"id": self.path[1:]}], "next": None if self.path == "/b" else "/b"}
              if \(isCounted ? 1 : 0): page["count"] = 2
              body = json.dumps(page).encode()
              self.send_response(200)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
          def log_message(self, *rest): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      open("port.new", "w").write(str(server.server_port))
      os.rename("port.new", "port")
      server.serve_forever()
      """)
    try place.write("none", "")
    let server = try Running(
      ["server.py"], of: "/usr/bin/python3", in: place, input: .file(place["none"]))
    try server.wait(for: "the server") { place.has("port") }
    let outcome = try place.shell(
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; "
        + "git init -q data && \"$0\" run --once --no-state --set list=http://127.0.0.1:\(place.text("port"))/a "
        + "'\(Self.root)/pipelines/git-scrape.yaml'")
    server.send(SIGKILL)
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    expect(place.lines("data/list.json").filter { $0.contains("id") }.count, equals: 2, "\(outcome.errors)")
  }

  @Test(
    "of a source that has not answered when the run is stopped, no value of --set is said to match nothing")
  func unanswered() throws {
    let place = try Workplace(
      #"""
      vars: { list: 1 }
      sources: { in: { exec: { command: [sleep, \($vars.list)] }, every: 1h } }
      sinks: { out: console }
      """#)
    let outcome = try place.run("--set", "list=20", "--for", "1s", "--no-state")
    #expect(outcome.status == 0 && !outcome.errors.contains("nothing matches"), "\(outcome.errors)")
  }

  @Test("a value of --set that nothing matches is reported, and one that something matches is not")
  func settings() throws {
    let none = try flow("run", "--dry-run", "--set", "provider=Relays", "pipelines/slips.yaml")
    #expect(
      none.errors.contains("filter: warning: nothing matches --set provider=Relays\n"), "\(none.errors)")
    let some = try flow("run", "--dry-run", "--set", "provider=Heron\\ Space", "pipelines/slips.yaml")
    #expect(!some.errors.contains("nothing matches") && !some.output.isEmpty, "\(some.errors)")
    let sought = try flow(
      "run", "--dry-run", "--once", "--sky", "--set", "show=xyzzy", "pipelines/upcoming-launches.yaml")
    #expect(sought.errors.contains("nothing matches --set show=xyzzy\n"), "\(sought.errors)")
  }
}
