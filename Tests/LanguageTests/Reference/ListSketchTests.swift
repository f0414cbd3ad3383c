import JSON
import Testing

@testable import Language

@Suite("A pipeline from one response")
struct ListSketchTests {
  private func sketch(_ response: String, name: String = "stations") throws -> String {
    ListSketch(name: name, address: "https://x.org/a?b=1", response: try Value.parse(response)).text
  }

  @Test("has the longest list of objects, its key, the next page, and what changes without news")
  func list() throws {
    let text = try sketch(
      #"""
      {"next":"https://x.org/a?page=2","tags":["a","b","c","d"],"data":{"items":[
        {"uuid":"a","name":"North","updated_at":"2026-01-01T00:00:00Z","opens":"2026-01-02T00:00:00Z","n":1},
        {"uuid":"b","name":"North","updated_at":"2026-01-01T00:00:00Z","opens":"2026-01-03","n":1}]}}
      """#)
    #expect(
      text == #"""
        # Reports what is added, changed or removed in the list at this address.
        #
        # Written by flow new from one response; the comments say what was inferred from it.

        name: stations

        sources:
          api:
            http:
              url: 'https://x.org/a?b=1'
              rows: .data.items[]   # 2 rows in that response
              next: .next   # the address of the next page
            every: 15m

        steps:
          - changes:
              key: .uuid   # different in each row
              ignore: [.updated_at]   # these look as if they changed without news
              # times in it: .opens; to ignore small shifts:
              # tolerance: { .opens: 10m }

        sinks:
          screen: { console: '\(.type) \((.after // .before) | .name): \([.diff[]?.path] | join(", "))' }
          log: { jsonl: out/stations.jsonl }

        """#)
  }

  @Test(
    "of other forms",
    arguments: [
      (#"[{"id":1},{"id":2}]"#, "rows: .[]", "key: .id "), (#"[]"#, "rows: .[]", "key: tojson"),
      (#"{"a":1,"b":[1,2]}"#, "rows: .   #", #"key: '"all"'"#), ("3", "rows: .   #", #"key: '"all"'"#),
      (#"{"a b":[{"the id":1},{"the id":2}]}"#, #"rows: '.["a b"][]'"#, #"key: '.["the id"]'"#),
      (#"{"rows":[{"n":1},{"n":1}]}"#, "rows: .rows[]", "key: tojson"),
      (#"{"rows":[{"title":"a","n":1},{"title":"b","n":1}]}"#, "rows: .rows[]", "key: .title "),
    ])
  func forms(_ response: String, _ rows: String, _ key: String) throws {
    let text = try sketch(response, name: "a b/c")
    #expect(text.contains("      \(rows)") && text.contains("      \(key)"), "\(text)")
    #expect(text.contains("jsonl: out/a-b-c.jsonl"))
  }
}
