import Expectations
import Foundation
import Testing

@testable import Fetch

@Suite struct ErrorBodyTests {
  @Test(
    "what the services say when they refuse",
    arguments: [
      (
        #"{"detail": "Request was throttled. Expected available in 1716 seconds."}"#,
        "Request was throttled. Expected available in 1716 seconds."
      ),
      (
        #"{"code": 404, "msg": "No data available for date: 2026-09-11", "service_version": "v1"}"#,
        "No data available for date: 2026-09-11"
      ),
      (
        #"{"error": {"code": "API_KEY_INVALID", "message": "An invalid api_key was supplied."}}"#,
        "An invalid api_key was supplied."
      ),
      (#"{"error": "invalid", "status": 3}"#, "invalid"), (#"{"errors": ["one", "two"]}"#, "one"),
      (#"{"limit": ["Enter a number."]}"#, #"{"limit": ["Enter a number."]}"#), ("Not Found", "Not Found"),
      ("<html><title>502\tBad Gateway</title></html>", "an HTML page titled “502 Bad Gateway”"),
      ("<html></html>", "an HTML page"), ("", nil), ("\u{0}\u{1}", nil), (#"{"detail": 3"#, #"{"detail": 3"#),
    ] as [(String, String?)])
  func words(_ body: String, _ words: String?) {
    expect(errorMessage(in: Array(body.utf8), contentType: nil, Redaction()), equals: words)
  }

  @Test("a secret is hidden before a text is shortened")
  func shortened() {
    let redaction = Redaction(["hunter2-and-much-more"])
    let long = String(repeating: "a", count: 195) + " hunter2-and-much-more"
    expect(errorMessage(in: Array(long.utf8), contentType: nil, redaction), equals: long.prefix(196) + "***")
    let page = Array("<html><title>hunter2-and-much-more</title>".utf8)
    expect(errorMessage(in: page, contentType: nil, redaction), equals: "an HTML page titled “***”")
    let json = Array(#"{"detail": "hunter2-and-much-more is bad"}"#.utf8)
    expect(errorMessage(in: json, contentType: nil, redaction), equals: "*** is bad")
  }

  static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../../shared/apis/samples").standardized.path

  @Test(
    "the recorded errors, where they are there",
    .enabled(if: FileManager.default.fileExists(atPath: samples), "the recorded answers are not here"))
  func recorded() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.samples).filter {
      $0.contains("error")
    }
    #expect(files.count >= 5)
    for file in files {
      let body = try Data(contentsOf: URL(fileURLWithPath: "\(Self.samples)/\(file)"))
      let words = try #require(
        errorMessage(in: Array(body), contentType: "application/json", Redaction()), "\(file)")
      #expect(!words.contains("{"), "\(file)")
    }
  }
}
