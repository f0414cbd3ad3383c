import Expectations
import Foundation
import Testing

/// A key that a source is given stays with it: it is in nothing that flow says or keeps.
@Suite("Secrets")
struct RunSecretsTests {
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
        - map: '{ day: (.after.date // "2020-01-01") }'
        - enrich: { url: '${SKY}/planetary/apod?api_key=${KEY}&start_date=\\(.day)&end_date=\\(.day)', bearer: '${KEY}' }
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
    expect(outcome.status, equals: (faults == "none" ? 0 : 1), "\(outcome.errors)")
    let checked = try place.flow("graph", "p.yaml", environment: environment)
    for text in [outcome.output, outcome.errors, checked.output] { #expect(!text.contains(Self.key)) }
    let kept = contents(of: place.path)
    #expect(kept.contains { $0.path.hasSuffix("http.db") })
    #expect(kept.contains { $0.path == "rec/pictures.jsonl" })
    #expect(kept.contains { $0.path == "rec/lookups.jsonl" && ($0.bytes.isEmpty == (faults != "none")) })
    for file in kept { expectNil(file.bytes.firstRange(of: Data(Self.key.utf8)), "\(file.path)") }
    _ = try sky.end(by: SIGTERM)
  }

  @Test(
    "values of files, credentials and commands are redacted; a check runs no command, a run each one once")
  func elsewhere() throws {
    let place = try Workplace(
      """
      name: kept
      sources:
        in: { generate: '{file: "${file:keys/x}", credential: "${credential:token}", command: "${exec:./ask}"}' }
        again: { generate: '"${exec:./ask}"' }
      sinks:
        out: { jsonl: out.jsonl, from: in }
        none: { exec: { command: [cat] }, from: again }
      """)
    _ = try place.shell("mkdir keys")
    try place.write("keys/x", "\(Self.key)-file\n")
    try place.write("token", "\(Self.key)-service\n")
    try place.write("ask", "#!/bin/sh\necho asked >> log\nprintf '\(Self.key)-command\\n\\n'\n")
    _ = try place.shell("chmod +x ask")
    let environment = ["CREDENTIALS_DIRECTORY": place.path]
    for command in ["check", "graph"] {
      let outcome = try place.flow(command, "p.yaml", environment: environment)
      #expect(outcome.status == 0 && !outcome.output.contains(Self.key), "\(outcome.errors)")
    }
    #expect(!place.has("log"))
    let run = try place.flow("run", "--no-state", "p.yaml", environment: environment)
    expect(run.status, equals: 0, "\(run.errors)")
    expect(
      place.text("out.jsonl"),
      equals:
        #"{"file":"\#(Self.key)-file","credential":"\#(Self.key)-service","command":"\#(Self.key)-command"}"#
        + "\n")
    expect(place.text("log"), equals: "asked\n")

    try place.write("ask", "#!/bin/sh\necho 'no such entry' >&2\nexit 3\n")
    let failed = try place.flow("run", "--no-state", "p.yaml")
    #expect(failed.status != 0)
    #expect(
      failed.errors.contains("“${exec:./ask}”: the command failed: exit status 3: no such entry"),
      "\(failed.errors)")
    #expect(failed.errors.contains("there is no credential “token”"))
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
      expect(mode & 0o077, equals: 0, "\(file.path) has the mode \(String(mode, radix: 8))")
      expectNil(file.bytes.firstRange(of: Data(Self.key.utf8)), "\(file.path)")
    }
    let dead = try place.flow("state", "dead", "ls", "kept", "--json", environment: environment)
    #expect(dead.output.contains(#""K":"***""#) && !dead.output.contains(Self.key), "\(dead)")
    // What is retried has its secrets again, and gives them to its command.
    try expect(place.flow("state", "dead", "retry", "kept", "1", environment: environment).status, equals: 0)
    let other = ["KEY": "another-key-4712", "XDG_STATE_HOME": place["home"]]
    _ = try place.flow("run", "p.yaml", environment: other)
    let buried = try place.flow("state", "dead", "ls", "kept", environment: environment)
    #expect(buried.output.contains("a secret in it is no longer known"), "\(buried)")
  }
}
