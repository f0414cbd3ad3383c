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
}
