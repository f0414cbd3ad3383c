import JSON
import Pipeline
import Testing

@testable import Nodes

@Suite struct LaunchLibraryTests {
  /// A page of launches by their ids.
  static func page(_ ids: [String], of count: Int, next: String? = nil) -> Canned.Reply {
    let rows = ids.map { #"{"id":"\#($0)","name":"Heron | \#($0)"}"# }.joined(separator: ",")
    let link = next.map { "\"\($0)\"" } ?? "null"
    return .init(#"{"count":\#(count),"next":\#(link),"previous":null,"results":[\#(rows)]}"#)
  }

  private func ids(_ answer: PollAnswer) -> [String] { answer.rows.compactMap { $0.member("id")?.string } }

  @Test("each version is asked where it is, with what was asked for", arguments: ["2.0.0", "2.2.0", "2.3.0"])
  func address(_ version: String) throws {
    let trial = try WebTrial(
      """
      launch_library: { version: \(version), provider: SpaceX, limit: 20, status: [1, 8], from: 2026-01-01, \
      order: -net, url: 'http://a' }
      """
    ) { _ in Self.page([], of: 0) }
    _ = try trial.poll()
    let folder = version == "2.3.0" ? "launches" : "launch"
    #expect(
      trial.paths == [
        "\(version)/\(folder)/upcoming/?limit=20&ordering=-net&mode=normal&lsp__name=SpaceX"
          + "&net__gte=2026-01-01T00:00:00Z&status__ids=1,8"
      ])
  }

  @Test("pages are followed, and a launch that moves from one to the next comes once")
  func pages() throws {
    let trial = try WebTrial("launch_library: { limit: 4, url: 'http://a' }") { order in
      order.address.text.contains("offset=2")
        ? Self.page(["b", "c", "d"], of: 4) : Self.page(["a", "b"], of: 4, next: "http://a/x/?offset=2")
    }
    #expect(ids(try trial.poll()) == ["a", "b", "c", "d"])
  }

  @Test("the start of the list may be left out, and what is left counts as whole")
  func skipped() throws {
    let trial = try WebTrial("launch_library: { limit: 20, skip: 40, url: 'http://a' }") { _ in
      Self.page(["a", "b"], of: 42)
    }
    #expect(ids(try trial.poll()) == ["a", "b"])
    #expect(trial.paths == ["2.3.0/launches/upcoming/?limit=20&offset=40&ordering=net&mode=normal"])
    let lacking = try WebTrial("launch_library: { skip: 30, url: 'http://a' }") { _ in
      Self.page(["a"], of: 42)
    }
    #expect(throws: WrongAnswer.self) { try lacking.poll() }
  }

  @Test("a list that lacks launches is no answer, so that nothing is taken for removed")
  func lacking() throws {
    for reply in [
      Self.page(["a"], of: 9), Self.page([], of: 9, next: "http://a/x"), .init(#"{"detail":"oops"}"#),
      .init(#"{"count":1,"next":null,"results":[{"name":"no id"}]}"#),
    ] as [Canned.Reply] {
      let trial = try WebTrial("launch_library: { url: 'http://a' }") { _ in reply }
      #expect(throws: WrongAnswer.self) { try trial.poll() }
    }
  }

  @Test("an answer is used again while it is young")
  func cached() throws {
    let trial = try WebTrial("launch_library: { url: 'http://a' }") { _ in Self.page(["a"], of: 1) }
    for _ in 0..<3 { #expect(ids(try trial.poll()) == ["a"]) }
    #expect(trial.asked.entries.count == 1)
  }

  @Test("with detail each launch is asked for by itself")
  func detail() throws {
    let trial = try WebTrial("launch_library: { detail: true, url: 'http://a', version: 2.0.0 }") { order in
      order.address.path.hasSuffix("/a/")
        ? .init(#"{"id":"a","vidURLs":[{"url":"v"}]}"#) : Self.page(["a"], of: 1)
    }
    #expect(try trial.rows() == #"[{"id":"a","vidURLs":[{"url":"v"}]}]"#)
    #expect(trial.paths.last == "2.0.0/launch/a/")
  }

  @Test("a key goes along as the service wants it")
  func key() throws {
    let trial = try WebTrial("launch_library: { key: abc, url: 'http://a' }") { _ in Self.page([], of: 0) }
    _ = try trial.poll()
    #expect(trial.asked.entries.first?.headers.contains { $0.value == "Token abc" } == true)
  }
}
