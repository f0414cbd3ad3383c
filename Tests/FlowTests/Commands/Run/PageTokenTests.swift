import Expectations
import Foundation
import TestSupport
import Testing

/// The token of a page that other machines can reach.
@Suite("the token of a page", .timeLimit(.minutes(30))) struct PageTokenTests {
  private static let pipeline = """
    name: watch
    sources: { numbers: { exec: { command: [echo, '{"n":1,"p":"http://a.test/1.png"}'] }, every: 1h } }
    sinks: { numbers: { page: { as: list, key: .n, title: .n, picture: .p } } }
    """

  /// The lines about the page of a run at all addresses.
  private func page(_ place: Workplace, _ more: [String] = [], environment: [String: String] = [:]) throws
    -> [String]
  {
    let run = try Running(
      ["run", "--page=0.0.0.0:0"] + more + ["p.yaml"], in: place, input: .open, environment)
    try run.waitForErrors("page: ")
    try run.waitForErrors("?token=")
    let lines = try run.end(by: SIGTERM).outcome.errors.components(separatedBy: "\n")
    return lines.filter { $0.contains("page: ") }.map { $0.components(separatedBy: "page: ")[1] }
  }

  @Test(
    "it is the same at each start, another one without state, and that of the environment where there is one")
  func stays() throws {
    let place = try Workplace(Self.pipeline)
    func token(_ lines: [String]) -> String { lines[0].components(separatedBy: "?token=").last ?? "" }
    let first = try page(place)
    #expect(token(first).count > 16 && !first[0].contains("0.0.0.0"), "\(first)")
    expect(first.last, equals: "pictures of watch are not loaded; --page-pictures allows it")
    try expect(token(page(place)), equals: token(first))
    #expect(try token(page(place, ["--no-state", "--page-pictures"])) != token(first))
    try expect(
      token(page(place, environment: ["FLOW_PAGE_TOKEN": "my-own-token-16chars"])),
      equals: "my-own-token-16chars")
    let short = try place.flow("run", "--page=0.0.0.0:0", "p.yaml", environment: ["FLOW_PAGE_TOKEN": "short"])
    #expect(
      short.status == 2 && short.errors.contains("FLOW_PAGE_TOKEN needs at least 16"), "\(short.errors)")
  }
}
