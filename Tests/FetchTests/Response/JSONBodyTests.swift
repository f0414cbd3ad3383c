import Expectations
import JSON
import Testing

@testable import Fetch

@Suite struct JSONBodyTests {
  func failed(_ body: String, type: String? = nil) throws -> FetchError? {
    let request = try request("https://a.org/") { $0.headers = [Header("Authorization", "Token hunter2")] }
    return failure {
      _ = try readJSON(Array(body.utf8), contentType: type, status: 200, of: request, request.redaction)
    }
  }

  @Test("JSON is JSON, whatever it calls itself")
  func good() throws {
    let request = try request("https://a.org/")
    let value = try readJSON(
      Array(#"{"a": [1]}"#.utf8), contentType: "text/html", status: 200, of: request, request.redaction)
    #expect(value == (try Value.parse(#"{"a": [1]}"#)))
  }

  @Test(
    "a truncated body is reported with its end, and is worth a retry",
    arguments: [
      (
        #"{"results": [{"id": 1}, {"na"#,
        #"JSON that ends after 28 bytes: …{"results": [{"id": 1}, {"na"#
      ),
      ("", "an empty body instead of JSON"), (" \n", "an empty body instead of JSON"),
    ])
  func truncated(_ body: String, _ words: String) throws {
    let failed = try failed(body)
    expect(failed?.kind, equals: .truncated)
    expect(failed?.message, equals: "answered 200 OK with " + words)
    expect(failed?.mayPass, equals: true)
  }

  @Test("what breaks off within a secret, or is shown from within one, shows nothing of it")
  func brokenSecret() throws {
    let start = #"{"results": [{"id": 1}], "next": "https://a.org/?key=hunt"#
    try expect(failed(start)?.message.hasSuffix("next\": \"https://a.org/?key=***"), equals: true)
    let end = #"{"next": "hunter2", "results": [1,2,3,4,5,6,7,"#
    try expect(failed(end)?.message.contains("ter2"), equals: false)
  }

  @Test(
    "other kinds of bodies are reported as such",
    arguments: [
      (
        "<!DOCTYPE html><html><head><title>Just a\n moment…</title>", nil,
        "an HTML page titled “Just a moment…” instead of JSON"
      ),
      ("\n<p>Oops", "text/html; charset=utf-8", "an HTML page instead of JSON"),
      ("<?xml version='1.0'?><a/>", nil, "XML: <?xml version='1.0'?><a/> instead of JSON"),
      ("Service \u{1B}[2J down, hunter2", nil, "text: Service [2J down, *** instead of JSON"),
      ("\u{1}\u{2}", nil, "binary data:  instead of JSON"),
      (
        "{'a': 1}", nil,
        "invalid JSON: Invalid string literal; expected \", but got ' at line 1, column 5"
      ),
      ("[1] [2]", nil, "invalid JSON: Unexpected extra JSON values"),
    ] as [(String, String?, String)])
  func others(_ body: String, _ type: String?, _ words: String) throws {
    let failed = try failed(body, type: type)
    expect(failed?.kind, equals: .notJSON)
    expect(failed?.message, equals: "answered 200 OK with " + words)
    expect(failed?.mayPass, equals: false)
  }
}
