import Expectations
import Foundation
import Testing

@testable import flow

@Suite struct NewCommandTests {
  @Test("what is printed is right as it is, whatever is chosen")
  func right() throws {
    for options in [
      [], ["--sources", "stdin", "--steps", "map,filter", "--sinks=jsonl,null"], ["--steps", ""],
    ] {
      let outcome = try flow(["new"] + options)
      #expect(outcome.status == 0 && outcome.errors.isEmpty)
      try withFile(outcome.output, named: "new.yaml") { path throws in
        let checked = try flow(["check", path])
        expect(checked, equals: Outcome(status: 0, output: "1 pipeline, no errors\n", errors: ""))
      }
    }
  }

  @Test("the pipeline has the name that is given, or that of the file")
  func names() throws {
    #expect(try flow(["new"]).output.contains("\nname: my-pipeline\n"))
    #expect(try flow(["new", "a b"]).output.contains("\nname: 'a b'\n"))
  }

  @Test("a file is written, and one that is there is not written over unless that is forced")
  func files() throws {
    try withFile("mine") { other throws in
      let path = other + ".launches.yaml"
      let outcome = try flow(["new", "-o", path])
      #expect(outcome.status == 0 && outcome.output.isEmpty)
      expect(
        outcome.errors,
        equals: "wrote \(path); next: flow run \(path), and flow docs changes for what a change is\n")
      #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\nname: file\n"))

      let refused = try flow(["new", "-o", other])
      expect(refused.status, equals: 2)
      expect(refused.errors, equals: "flow new: \(other) already exists; use --force to overwrite it\n")
      try expect(String(contentsOfFile: other, encoding: .utf8), equals: "mine")
      try expect(flow(["new", "--force", "-o", other]).status, equals: 0)
      #expect(try String(contentsOfFile: other, encoding: .utf8).contains("sources:"))
      let errors = try flow([
        "new", "errors", "--sources", "file", "--steps", "filter", "--force", "-o", other,
      ])
      #expect(errors.errors == "wrote \(other); next: flow run \(other)\n", "there are no changes in it")
    }
    #expect(try flow(["new", "-o", "/nonexistent/a.yaml"]).errors.contains("cannot be written: "))
  }

  @Test("a node that is not there, or in the wrong place, is named")
  func mistakes() throws {
    func complaint(_ arguments: String...) throws -> String {
      let outcome = try flow(["new"] + arguments)
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      return String(outcome.errors.prefix { $0 != "\n" })
    }
    try expect(
      complaint("--steps", "map,fliter"),
      equals: "flow new: --steps: unknown step “fliter”; did you mean “filter”?")
    try expect(complaint("--sources", "filter"), equals: "flow new: --sources: “filter” is a step")
    #expect(
      try complaint("--sources", "stdin,replay").hasPrefix(
        "flow new: these nodes cannot be combined: stdin answers"))
    try expect(complaint("--sinks", ""), equals: "flow new: --sinks needs at least one name")
  }

  @Test("the first line names the schema that is installed, for editors")
  func editors() throws {
    let place = try Workplace()
    let installed = ["XDG_DATA_DIRS": place["share"]]
    try FileManager.default.createDirectory(atPath: place["share/flow"], withIntermediateDirectories: true)
    #expect(try !place.flow(["new"], environment: installed).output.contains("$schema"))
    try place.write("share/flow/flow.schema.json", "{}")
    try place.write("list.json", #"[{"id": 1}]"#)
    for options in [[], ["--from", "list.json"]] {
      let made = try place.flow(["new"] + options + ["-o", "p.yaml", "--force"], environment: installed)
      expect(made.status, equals: 0, "\(made.errors)")
      expect(
        place.lines("p.yaml").first,
        equals: "# yaml-language-server: $schema=\(place["share/flow/flow.schema.json"])")
      try expect(place.flow("check", "p.yaml").status, equals: 0)
    }
  }

  @Test("with an address, the pipeline is for the list that it answers with, and passes flow check")
  func address() throws {
    let place = try Workplace()
    let sky = try Running(["sky", "--seed", "7", "--speed", "0"], in: place, input: .open)
    try sky.waitForErrors("simulated")
    let url = try #require(sky.shown.split(separator: "\n").first)
    let list = "\(url)/2.3.0/launches/upcoming/?limit=20"
    let made = try place.flow("new", "--from", list, "--once", "-o", "p.yaml")
    expect(made.status, equals: 0, "\(made.errors)")
    let text = place.text("p.yaml")
    #expect(
      text.contains("      rows: .results[]\n      next: .next\n") && text.contains("changes: { key: .id"),
      "\(text)")
    #expect(made.errors.contains("  rows      .results[], 20 rows\n"), "\(made.errors)")
    try expect(place.flow("check", "p.yaml").output, equals: "1 pipeline, no errors\n")
    #expect(try place.flow("new", "--once", "--from", list).output.hasPrefix("name: upcoming\n"))
    let failed = try place.flow("new", "--from", "\(url)/none.json")
    #expect(failed.status == 1 && failed.errors.hasPrefix("flow new: "), "\(failed.errors)")
    try expect(place.flow("new", "--from", "x").status, equals: 2)
    try expect(place.flow("new", "--from", list, "--sinks", "null").status, equals: 2)
    _ = try sky.end(by: SIGINT)
  }

  @Test("output files have the name of the pipeline, and what reads changes reads their rows")
  func consistent() throws {
    let text = try flow(["new", "mine", "--steps", "changes", "--sinks", "notify,ics,jsonl"]).output
    for line in [
      "  notify: '\\((.after // .before).name) slipped'", "path: out/mine.ics", "key: .key",
      "  jsonl: out/mine.jsonl",
      "start: (.after // .before).net", "summary: '\\((.after // .before).name)'",
      "  http: https://example.org/",
    ] {
      #expect(text.contains("  \(line)"), "\(line) in \(text)")
    }
    #expect(text.split(separator: "\n").count <= 20, "\(text)")
  }
}
