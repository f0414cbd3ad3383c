import Expectations
import Foundation
import JSON
import Testing

/// The dead letters of a pipeline that runs, retried and dropped from its page.
@Suite("Dead letters of a run", .timeLimit(.minutes(30)))
struct RunDeadLettersTests {
  private func post(_ fields: String, _ place: Workplace) throws -> String {
    try place.shell(
      "curl -s -o /dev/null -w '%{http_code}' -d '\(fields)' --unix-socket page.sock http://localhost/p/watch/tell"
    ).output
  }

  private func count(_ place: Workplace) -> Int? {
    guard let output = try? place.flow("status", "--json", "watch").output,
      let nodes = (try? Value.parse(Array(output.utf8)))?.member("nodes")?.items
    else { return nil }
    return nodes.first { $0.member("name")?.string == "tell" }?.member("dead_letters")?.double.map { Int($0) }
  }

  @Test(
    "one that is retried is delivered once, with its id; one that is dropped never; both survive a restart")
  func settle() throws {
    let place = try Workplace(
      """
      name: watch
      sources: { numbers: { stdin: {} } }
      sinks:
        tell:
          exec: { command: [sh, -c, 'test -e works && echo "$0 $FLOW_EVENT_ID" >> delivered', '\\(.n)'], attempts: 1 }
      """)
    let run = try Running(["run", "--page=unix:page.sock", "p.yaml"], in: place, input: .open)
    try run.say("{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
    try run.wait(for: "three dead letters") { count(place) == 3 }
    let page = try place.shell("curl -s --unix-socket page.sock http://localhost/p/watch/tell").output
    #expect(page.contains("Drop dead letter 1") && page.contains("exit status 1"), "\(page)")
    try expect(post("number=2&way=drop", place), equals: "303")
    try run.wait(for: "two dead letters") { count(place) == 2 }
    // It fails again: a dead letter as before, with another number.
    try expect(post("number=1&way=retry", place), equals: "303")
    try run.wait(for: "its failure") {
      (try? place.shell("curl -s --unix-socket page.sock http://localhost/p/watch/tell").output)?
        .contains("Drop dead letter 4") == true
    }
    try place.write("works", "")
    try expect(post("way=retry", place), equals: "303")
    _ = try post("way=retry", place)
    try run.waitForLines(2, in: "delivered")
    try run.wait(for: "no dead letters") { count(place) == 0 }
    try expect(post("way=burn", place), equals: "409")
    try run.sayNoMore()
    _ = try run.end(by: SIGTERM)
    let delivered = place.lines("delivered")
    #expect(Set(delivered.map { $0.prefix(1) }) == ["1", "3"] && delivered.count == 2, "\(delivered)")
    #expect(try place.flow("state", "dead", "ls", "watch").output.isEmpty)
  }

  @Test(
    "an event whose lookup was refused is a letter of its step, also under a new name, and is sent once retried"
  )
  func lookups() throws {
    func pipeline(_ step: String) -> String {
      """
      name: asks
      sources: { numbers: { stdin: {} } }
      steps: [ { enrich: { url: 'http://127.0.0.1:\(place.text("port"))/\\(.n)', with: '{n, a: $answer}' }\(step) } ]
      sinks: { log: { jsonl: log.jsonl } }
      """
    }
    let place = try Workplace()
    try place.write(
      "server.py",
      """
      import http.server, os
      class Handler(http.server.BaseHTTPRequestHandler):
          def do_GET(self):
              self.send_response(200 if self.path == "/1" or os.path.exists("works") else 403)
              self.end_headers(); self.wfile.write(self.path[1:].encode())
          def log_message(self, *rest): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      open("port.new", "w").write(str(server.server_port))
      os.rename("port.new", "port")
      server.serve_forever()
      """)
    try place.write("none", "")
    let server = try Running(["server.py"], of: "/usr/bin/python3", in: place, input: .file(place["none"]))
    try server.wait(for: "the server") { place.has("port") }
    try place.write("p.yaml", pipeline(""))
    let first = try place.run(input: "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
    #expect(first.status == 1 && first.errors.contains("/2: answered 403 Forbidden"), "\(first.errors)")
    expect(place.lines("log.jsonl"), equals: [#"{"n":1,"a":1}"#])
    let status = try place.flow("status", "asks")
    #expect(
      status.status == 1 && status.output.contains("lost: 2 lookups of enrich given up"), "\(status.output)")
    #expect(status.output.contains("! enrich has 2 dead letters: flow state dead ls asks"))
    // A step with another name: its letters are reported, and go with it.
    try place.write("p.yaml", pipeline(", name: ask"))
    #expect(try place.run().errors.contains("the state of enrich belongs to no node"))
    #expect(try place.flow("state", "reset", "asks", "ask").status <= 2)
    try expect(place.flow("state", "rename", "asks", "enrich", "ask").status, equals: 0)
    let list = try place.flow("state", "dead", "ls", "asks").output
    #expect(list.contains("1  ask ") && list.contains(#"{"value":{"n":2}"#), "\(list)")
    try expect(place.flow("state", "dead", "drop", "asks", "2").status, equals: 0)
    try expect(place.flow("state", "dead", "retry", "asks", "--all").status, equals: 0)
    try place.write("works", "")
    let second = try place.run()
    expect(second.status, equals: 0, "\(second.errors)")
    expect(place.lines("log.jsonl"), equals: [#"{"n":1,"a":1}"#, #"{"n":2,"a":2}"#])
    #expect(try place.flow("state", "dead", "ls", "asks").output.isEmpty)
    #expect(try place.run().status == 0 && place.lines("log.jsonl").count == 2)
    server.send(SIGTERM)
  }
}
