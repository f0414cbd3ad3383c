import Expectations
@testable import Delivery
import JSON
import Testing

@Suite struct ReportedErrorTests {
  @Test(
    "an object that reports an error is known from one that is a row",
    arguments: [
      (#"{"error":"backend down"}"#, "backend down"),
      (#"{"errors":[{"code":7}],"data":null}"#, #"[{"code":7}]"#),
      (#"{"success":false,"message":"no","data":[]}"#, "no"),
      (#"{"ok":false}"#, #"{"ok":false}"#),
      (#"{"code":503,"message":"later"}"#, "later"),
      (#"{"detail":"Not found."}"#, "Not found."),
    ])
  func errors(text: String, words: String) throws {
    try expect(Value.parse(text).reportedError, equals: words)
  }

  @Test(
    "rows with such members, and what is no object, report none",
    arguments: [
      #"{"id":1,"error":null}"#, #"{"id":1,"errors":[]}"#, #"{"id":1,"error":""}"#, #"{"id":1,"error":0}"#,
      #"{"id":1,"message":"hi"}"#, #"{"id":1,"success":true}"#, "{}", "[]", "null", "3", #""error""#,
      #"{"error":false,"n":1}"#, #"{"status":"ok","title":"x"}"#,
    ])
  func rows(text: String) throws {
    try expectNil(Value.parse(text).reportedError)
  }
}
