import Foundation
import Testing

/// A key that a source is given stays with it: it is in nothing that flow says or keeps.
@Suite("Secrets")
struct SecretsTests {
  private static let key = "s3cretKEY4711"

  /// All that is in a folder, by path.
  private func contents(of folder: String) -> [(path: String, bytes: Data)] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.compactMap { name in
      FileManager.default.contents(atPath: "\(folder)/\(name)").map { (name, $0) }
    }
  }

  @Test(
    "a key is in no log, no error, no statistics, no recording and no state", arguments: ["none", "html=1"])
  func key(_ faults: String) throws {
    let place = try Workplace(
      """
      sources:
        pictures: { apod: { days: 3, url: '${SKY}', key: '${KEY}' } }
        launches: { launch_library: { limit: 3, url: '${SKY}', key: '${KEY}' } }
      steps:
        - changes: { key: .date // .id, first: emit }
        - enrich: { url: '${SKY}/planetary/apod?api_key=${KEY}&date=\\(.after.date // "2020-01-01")', bearer: '${KEY}' }
      sinks: { log: { jsonl: out.jsonl }, tell: { exec: { command: [cat] } } }
      """)
    let sky = try Running(
      ["sky", "--speed", "1", "--start", "\(Date.now.formatted(.iso8601))", "--faults", faults], in: place,
      input: .open)
    try sky.wait(for: "its address") { sky.shown.hasSuffix("\n") }
    let url = String(sky.shown.dropLast())
    let environment = ["SKY": url, "KEY": Self.key, "XDG_STATE_HOME": place["home"]]
    let outcome = try place.flow(
      "run", "--once", "-v", "--stats", "--record", "rec", "p.yaml", environment: environment)
    #expect(outcome.status == (faults == "none" ? 0 : 1), "\(outcome.errors)")
    let checked = try place.flow("graph", "p.yaml", environment: environment)
    for text in [outcome.output, outcome.errors, checked.output] { #expect(!text.contains(Self.key)) }
    let kept = contents(of: place.path)
    #expect(kept.contains { $0.path.hasSuffix("http.db") })
    #expect(kept.contains { $0.path == "rec/pictures.jsonl" })
    #expect(kept.contains { $0.path == "rec/lookups.jsonl" && ($0.bytes.isEmpty == (faults != "none")) })
    for file in kept { #expect(file.bytes.firstRange(of: Data(Self.key.utf8)) == nil, "\(file.path)") }
    _ = try sky.end(by: SIGTERM)
  }

  @Test("files that may hold a secret are their owner's alone; dry runs and recordings show none")
  func modes() throws {
    let place = try Workplace(
      """
      name: kept
      sources: { in: { generate: '{key: "${KEY}"}' } }
      sinks:
        tell: { exec: { command: ['false', '${KEY}'], env: { K: '${KEY}' } } }
        post: { http: { url: 'http://127.0.0.1:1/', headers: { X-A: '${KEY}' }, attempts: 1 } }
      """)
    let environment = ["KEY": Self.key, "XDG_STATE_HOME": place["home"]]
    let dry = try place.flow("run", "--dry-run", "--no-state", "p.yaml", environment: environment)
    #expect(dry.output.contains("***") && !(dry.output + dry.errors).contains(Self.key), "\(dry)")
    let outcome = try place.flow("run", "--record", "rec", "p.yaml", environment: environment)
    #expect(!outcome.errors.contains(Self.key))
    let kept = contents(of: place.path).filter { $0.path.contains(".db") || $0.path.hasPrefix("rec/") }
    #expect(kept.contains { $0.path.hasSuffix("kept.db") } && kept.contains { $0.path == "rec/in.jsonl" })
    for file in kept {
      let attributes = try FileManager.default.attributesOfItem(atPath: place[file.path])
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode & 0o077 == 0, "\(file.path) has the mode \(String(mode, radix: 8))")
      #expect(file.bytes.firstRange(of: Data(Self.key.utf8)) == nil, "\(file.path)")
    }
    let dead = try place.flow("state", "dead", "ls", "kept", "--json", environment: environment)
    #expect(dead.output.contains(#""K":"***""#) && !dead.output.contains(Self.key), "\(dead)")
    // What is retried has its secrets again, and gives them to its command.
    #expect(try place.flow("state", "dead", "retry", "kept", "1", environment: environment).status == 0)
    let other = ["KEY": "another-key-4712", "XDG_STATE_HOME": place["home"]]
    _ = try place.flow("run", "p.yaml", environment: other)
    let buried = try place.flow("state", "dead", "ls", "kept", environment: environment)
    #expect(buried.output.contains("a secret in it is no longer known"), "\(buried)")
  }
}
