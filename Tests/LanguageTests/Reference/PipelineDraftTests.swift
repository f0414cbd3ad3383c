import Expectations
import JSON
import Testing

@testable import Language

@Suite("A pipeline from a response")
struct PipelineDraftTests {
  private func sketch(
    _ response: String, then later: String? = nil, name: String = "stations",
    form: PipelineDraft.Source.Form = .rows
  ) throws -> PipelineDraft {
    var source = PipelineDraft.Source("http", [(name: "url", yaml: "'https://x.org/a?b=1'")], every: "15m")
    source.form = form
    if response.contains("?page=2") {
      source.paging = [("next", ".next")]
      source.pages = [("next page", ".next")]
    }
    var sketch = PipelineDraft(name: name, of: source, response: try Value.parse(response))
    if let later { sketch.compare(with: try Value.parse(later), after: "3s") }
    return sketch
  }

  private func found(_ sketch: PipelineDraft) -> [String] {
    sketch.findings.map { "\($0.label): \($0.text)" }
  }

  @Test("has the longest list of objects, its key, the next page, and what changes without news")
  func list() throws {
    let sketch = try sketch(
      #"""
      {"next":"https://x.org/a?page=2","tags":["a","b","c","d"],"data":{"items":[
        {"uuid":"a","name":"North","updated_at":"2026-01-01T00:00:00Z","opens":"2026-01-02T00:00:00Z","n":1},
        {"uuid":"b","name":"North","updated_at":"2026-01-01T00:00:00Z","opens":"2026-01-03","n":1}]}}
      """#)
    expect(
      sketch.text,
      equals: #"""
        name: stations
        sources:
          stations:
            http:
              url: 'https://x.org/a?b=1'
              rows: .data.items[]
              next: .next
            every: 15m
            fresh: 3
        steps:
          - changes: { key: .uuid, ignore: [.updated_at] }
        sinks:
          screen: { console: '\(.type) \((.after // .before).name)\(.diff | map(" \(.path[1:]) \(.before) → \(.after)") | join(","))' }
          log: { jsonl: out/stations.jsonl }

        """#)
    expect(
      found(sketch),
      equals: [
        "rows: .data.items[], 2 rows", "key: .uuid, different in each row", "next page: .next",
        "times: .opens; tolerance: { .opens: 10m } ignores small shifts",
        "ignored: .updated_at, which by name change without news",
      ])
  }

  @Test(
    "of other forms",
    arguments: [
      (#"[{"id":1},{"id":2}]"#, "http: 'https://x.org/a?b=1'", "key: .id "),
      (#"["b","a"]"#, "every: 15m", "key: '.' "), (#"[]"#, "every: 15m", "key: tojson "),
      (#"{"a":1,"b":[1,2]}"#, "rows: .", "key: $meta.source "), ("3", "rows: .", "key: $meta.source "),
      (#"{"a b":[{"the id":1},{"the id":2}]}"#, #"rows: '.["a b"][]'"#, #"key: '.["the id"]' "#),
      (#"[{"l":[1]}]"#, "every: 15m", "key: $meta.source "),
      (#"{"rows":[{"n":1},{"n":1}]}"#, "rows: .rows[]", "key: tojson "),
      (#"{"rows":[{"title":"a","n":1},{"title":"b","n":1}]}"#, "rows: .rows[]", "key: .title "),
      (
        #"[{"title":"a","city":"x"},{"title":"a","city":"y"},{"title":"b","city":"x"}]"#, "every",
        "key: '[.title, .city]' "
      ),
      (#"{"EUR":{"mid":4.3},"USD":{"mid":4.1}}"#, "rows: to_entries[] | { key } + .value", "key: .key "),
      (
        #"{"x":{"EUR":{"key":4.3},"USD":{"key":4.1}}}"#,
        "rows: '.x | to_entries[] | { name: .key } + .value'", "key: .name "
      ),
      (
        #"{"base":"EUR","rates":{"A":1,"B":2,"C":3,"D":4,"E":5}}"#, "rows: .rates | to_entries[]",
        "key: .key "
      ),
      (#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":[{"h":1}]}"#, "rows: .", "key: $meta.source "),
      (#"{"place":{"lat":1},"main":{"temp":2}}"#, "rows: .", "key: $meta.source "),
    ])
  func forms(_ response: String, _ rows: String, _ key: String) throws {
    let text = try sketch(response, name: "a b/c").text
    #expect(text.contains("\(rows)\n") || rows == "every", "\(text)")
    #expect(text.contains("- changes: { \(key)"), "\(text)")
    #expect(text.contains("  input:\n") && text.contains("jsonl: out/a-b-c.jsonl"))
  }

  @Test("what differs in all rows of two polls is ignored, what differs in some is shown")
  func restless() throws {
    let sketch = try sketch(
      #"[{"id":1,"at":{"seen":1,"by":"a"},"n":1,"l":[1]},{"id":2,"at":{"seen":1,"by":"a"},"n":1,"l":[1]}]"#,
      then:
        #"[{"id":2,"at":{"seen":2,"by":"a"},"n":2,"l":[2]},{"id":1,"at":{"seen":2,"by":"a"},"n":1,"l":[2]}]"#)
    #expect(
      sketch.text.contains(
        """
          # Ignored, since it changed in 3s: to watch it, remove it from ignore.
          - changes: { key: .id, ignore: [.at.seen, .l] }
        """), "\(sketch.text)")
    expect(
      found(sketch).last,
      equals:
        "two polls: changed in 3s: .at.seen in all of 2, .n in 1 of 2, .l in all of 2; ignored: .at.seen, .l")
    try expect(found(self.sketch("[1]", then: "[1]")).last, equals: "two polls: nothing changed in 3s")
  }

  @Test("columns of a table that have numbers are named, with the option that reads them as such")
  func numbers() throws {
    let source = PipelineDraft.Source(
      "http", [(name: "url", yaml: "x"), (name: "decode", yaml: "{ csv: { delimiter: ';' } }")], every: "1d")
    let rows = try Value.parse(
      #"[{"id":"1","a b":"1,5","n":"","t":"x"},{"id":"2","a b":"-2","n":"3.5","t":"nan"}]"#)
    let sketch = PipelineDraft(name: "t", of: source, response: rows)
    expect(
      found(sketch).last,
      equals:
        "numbers: texts in a table, unless decode has types: { 'a b': number, n: number }, decimal_comma: true"
    )
  }

  @Test("where all that a row has moves, nothing is ignored")
  func allMoves() throws {
    let sketch = try sketch(#"{"x":1,"y":2}"#, then: #"{"x":2,"y":3}"#)
    #expect(sketch.text.contains("- changes: { key: $meta.source }\n"), "\(sketch.text)")
    expect(found(sketch).last, equals: "two polls: changed in 3s: .x in 1 of 1, .y in 1 of 1")
  }

  @Test("a feed reports what is new, and a text its lines")
  func otherForms() throws {
    let feed = try sketch(
      #"[{"id":"a","title":"A","link":"l","updated":"2026-01-01T00:00:00Z"}]"#, form: .feed)
    #expect(
      feed.text.contains("- changes: { key: .id, types: [added], sudden_loss: 'off', removed_after: 365d }\n")
    )
    #expect(feed.text.contains(#"console: '\(.after.title): \(.after.link)'"#))
    let page = try sketch(#"[{"text":"a\nb"}]"#, then: #"[{"text":"a\nc"}]"#, form: .text)
    #expect(page.text.contains("- changes: { key: $meta.source }\n") && page.text.contains(".lines"))
    expect(found(page).last?.hasPrefix("two polls: the text changed in 3s: "), equals: true)
  }
}
