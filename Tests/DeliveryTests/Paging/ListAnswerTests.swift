import Expectations
import Foundation
import JSON
import Language
import Testing

@testable import Delivery

/// What answers of services say about the rest of their list, by a file for each service in `Answers`.
@Suite struct ListAnswerTests {
  /// An answer as its service documents it, and what is to be found in it.
  struct Sample: Sendable, CustomTestStringConvertible {
    let file: String
    let content: Value

    var testDescription: String { file }

    var answer: ListAnswer? {
      guard let body = content.member("body"), let place = ResponseRows(in: body) else { return nil }
      let query = (content.member("address")?.string ?? "").components(separatedBy: "?").dropFirst().joined()
      let names = query.components(separatedBy: "&").map { $0.components(separatedBy: "=")[0] }
      return ListAnswer(body, path: place.path, query: names)
    }
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Answers"

  static let samples = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    .compactMap { file -> Sample? in
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)"),
        let content = try? Value.parse(Array(bytes))
      else { return nil }
      return Sample(file: file, content: content)
    }

  @Test("the rest of a list is found by the members that services have", arguments: samples)
  func sample(_ sample: Sample) throws {
    let answer = try #require(sample.answer)
    expect(answer.paging?.line ?? "", equals: sample.content.member("options")?.string)
    expect(answer.evidence, equals: sample.content.member("goes_on")?.string)
    expect(answer.stated?.count, equals: sample.content.member("states")?.double.map { Int($0) })
  }

  @Test("there is a sample for more than eighty services") func count() {
    #expect(Self.samples.count > 80)
  }

  @Test("what only looks like the rest of a list is none")
  func others() throws {
    func answer(_ text: String, _ path: [String] = ["items"]) throws -> ListAnswer? {
      ListAnswer(try Value.parse(text), path: path, query: [])
    }
    for text in [
      #"{"items":[1],"next":""}"#, #"{"items":[1],"next":false}"#, #"{"items":[1],"next_cursor":null}"#,
      #"{"items":[1],"next_offset":0}"#, #"{"items":[1],"count":1}"#, #"{"items":[1],"total":"many"}"#,
      #"{"items":[1],"has_more":false,"next_cursor":"continue-later"}"#,
      #"{"items":[1],"more":{"next":"/x"}}"#,
      #"{"items":[1],"total":-1}"#, #"{"items":[1],"page":7,"pages":9}"#, #"{"items":[1],"has_more":"yes"}"#,
      #"{"items":[1],"links":["/a","/b"]}"#, #"{"items":[1],"other":{"has_more":true}}"#,
    ] {
      let answer = try #require(try answer(text), "\(text)")
      #expect(answer.evidence == nil && answer.paging == nil && answer.stated == nil, "\(text)")
    }
    #expect(try answer("[1]", []) != nil)
    #expect(try answer(#"{"items":{"a":1}}"#) == nil)
    #expect(try answer(#"{"items":[1]}"#, ["data", "items"]) == nil)
  }
}
