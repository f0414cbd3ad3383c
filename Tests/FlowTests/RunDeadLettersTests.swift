import Foundation
import JSON
import Testing

/// The dead letters of a pipeline that runs, retried and dropped from its page.
@Suite("Dead letters of a run", .timeLimit(.minutes(5)))
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
    #expect(try post("number=2&way=drop", place) == "303")
    try run.wait(for: "two dead letters") { count(place) == 2 }
    // It fails again: a dead letter as before, with another number.
    #expect(try post("number=1&way=retry", place) == "303")
    try run.wait(for: "its failure") {
      (try? place.shell("curl -s --unix-socket page.sock http://localhost/p/watch/tell").output)?
        .contains("Drop dead letter 4") == true
    }
    try place.write("works", "")
    #expect(try post("way=retry", place) == "303")
    _ = try post("way=retry", place)
    try run.waitForLines(2, in: "delivered")
    try run.wait(for: "no dead letters") { count(place) == 0 }
    #expect(try post("way=burn", place) == "409")
    try run.sayNoMore()
    _ = try run.end(by: SIGTERM)
    let delivered = place.lines("delivered")
    #expect(Set(delivered.map { $0.prefix(1) }) == ["1", "3"] && delivered.count == 2, "\(delivered)")
    #expect(try place.flow("state", "dead", "ls", "watch").output.isEmpty)
  }
}
