import Expectations
import Testing

@testable import flow

@Suite struct EvalCommandTests {
  func output(_ arguments: [String], _ input: String = "") throws -> String {
    let outcome = try flow(["eval"] + arguments, input: input)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.output
  }

  @Test func filtersEachInput() throws {
    try expect(output(["-c", ".a"], #"{"a":1} {"a":[2]}"#), equals: "1\n[2]\n")
    try expect(output(["."], #"{"a":[]}"#), equals: "{\n  \"a\": []\n}\n")
  }

  @Test func inputsInTheirForms() throws {
    try expect(output(["-n", "-c", "[inputs]"], "1 2 3"), equals: "[1,2,3]\n")
    try expect(output(["-cs", "."], "1 2 3"), equals: "[1,2,3]\n")
    try expect(output(["-cs", "."]), equals: "[]\n")
    try expect(output(["-R", "."], "a\n\"b\n\nc"), equals: "\"a\"\n\"\\\"b\"\n\"\"\n\"c\"\n")
    try expect(output(["-Rs", "."], "a\nb\n"), equals: "\"a\\nb\\n\"\n")
    try expect(output(["-Rn", "[inputs]", "-c"], "a\nb\n"), equals: "[\"a\",\"b\"]\n")
    try expect(
      output(["--stream", "-c", "."], #"{"a":[1]}"#), equals: "[[\"a\",0],1]\n[[\"a\",0]]\n[[\"a\"]]\n")
    try expect(output(["--seq", "-c", "."], "\u{1e}1\n\u{1e}[2]\n"), equals: "\u{1e}1\n\u{1e}[2]\n")
  }

  @Test("a byte order mark before the values is no part of them")
  func byteOrderMark() throws {
    let text = "\u{feff}[1,\"\u{feff}\"]"
    try expect(output(["-c", "."], text), equals: "[1,\"\u{feff}\"]\n")
    try expect(output(["-cs", "."], "\u{feff}"), equals: "[]\n")
    try expect(output(["-c", "."], "\u{feff}\n"), equals: "")
    try expect(output(["--stream", "-c", "."], "\u{feff}[]"), equals: "[[],[]]\n")
    try expect(output(["-R", "length"], "\u{feff}a"), equals: "2\n")
    let outcome = try flow(["eval", "."], input: " \u{feff}1")
    #expect(outcome.status != 0)
  }

  @Test("--decode reads the formats of pipelines, each file from its own beginning")
  func otherFormats() throws {
    try expect(output(["--decode", "csv", "-c", "."], "id,n\n1,a\n"), equals: #"{"id":"1","n":"a"}"# + "\n")
    try expect(output(["--decode", "yaml", "-c", ".b"], "a: 1\nb: [x]\n"), equals: "[\"x\"]\n")
    try expect(output(["--decode", "csv", "-sc", "map(.n)"], "\u{feff}n\n1\n2\n"), equals: "[\"1\",\"2\"]\n")
    try expect(output(["--decode", "csv", "-nc", "[inputs.n]"], "n\n1\n2\n"), equals: "[\"1\",\"2\"]\n")
    let options = "{ csv: { delimiter: ';', types: { n: number }, decimal_comma: true } }"
    try expect(output(["--decode", options, "-c", ".n"], "id;n\n1;2,5\n"), equals: "2.5\n")
    try withFile("id\n1\n", named: "a.csv") { first throws in
      try withFile("key,id\n2,3\n", named: "b.csv") { second throws in
        try expect(
          output(["--decode", "csv", "-c", ".", first, second]),
          equals: "{\"id\":\"1\"}\n{\"key\":\"2\",\"id\":\"3\"}\n")
      }
    }
    try withFile("key,id\n2,3\n", named: "b.csv") { path throws in
      #expect(try flow(["eval", ".", path]).errors.contains("is read by --decode csv"))
    }
  }

  @Test("what --decode cannot read is reported and skipped, and what it does not know is named")
  func otherFormatsThatAreWrong() throws {
    let ragged = try flow(["eval", "--decode", "csv", "-c", "."], input: "a,b\n1\n2,3\n")
    expect(ragged.output, equals: #"{"a":"2","b":"3"}"# + "\n")
    expect(ragged.errors, equals: "flow: error: <stdin>:2:1: the row has 1 field instead of 2: 1\n")
    expect(ragged.status, equals: 2)
    let many = try flow(
      ["eval", "--decode", "csv", "."], input: "a,b\n" + String(repeating: "1\n", count: 100))
    expect(many.errors.split(separator: "\n").count, equals: 6)
    #expect(many.errors.hasSuffix("95 more invalid parts of the text skipped\n"))
    let unknown = try flow(["eval", "--decode", "cvs", "."], input: "")
    #expect(unknown.status == 2 && unknown.errors.contains("did you mean “csv”?"))
    let both = try flow(["eval", "--decode", "csv", "--stream", "."], input: "")
    #expect(both.status == 2 && both.errors.contains("choose one"))
  }

  @Test func outputsInTheirForms() throws {
    let text = #"["a\tb",{"é":"x"}]"#
    try expect(output(["-r", ".[]", "-c"], text), equals: "a\tb\n{\"é\":\"x\"}\n")
    try expect(output(["-j", ".[0], 1"], text), equals: "a\tb1")
    try expect(output(["--raw-output0", ".[0]"], text), equals: "a\tb\0")
    try expect(output(["-ac", ".[1]"], text), equals: #"{"\u00e9":"x"}"# + "\n")
    try expect(output(["--tab", "."], "[1]"), equals: "[\n\t1\n]\n")
    try expect(output(["--indent", "1", "."], "[1]"), equals: "[\n 1\n]\n")
    try expect(
      output(["-S", "-c", "."], #"{"b":1,"a":{"d":1,"c":2}}"#), equals: #"{"a":{"c":2,"d":1},"b":1}"# + "\n")
    try expect(
      output(["-C", "-c", "."], "[null]"),
      equals: "\u{1B}[1;39m[\u{1B}[0;90mnull\u{1B}[0m\u{1B}[1;39m]\u{1B}[0m\n"
        .replacing("[\u{1B}[0;90m", with: "[\u{1B}[0m\u{1B}[0;90m"))
  }

  @Test func coloursFromTheEnvironment() throws {
    let outcome = try flow(["eval", "-nC", "null"], input: "", environment: ["JQ_COLORS": "4;31"])
    expect(outcome.output, equals: "\u{1B}[4;31mnull\u{1B}[0m\n")
    let wrong = try flow(["eval", "-nC", "null"], input: "", environment: ["JQ_COLORS": "red"])
    #expect(wrong.output == "\u{1B}[0;90mnull\u{1B}[0m\n" && wrong.errors == "Failed to set $JQ_COLORS\n")
  }

  @Test func argumentsReachTheProgram() throws {
    try expect(
      output([
        "-nc", "--arg", "a", "1", "--argjson", "b", "[2]",
        "[$a, $b, $ARGS.named]",
      ]), equals: #"["1",[2],{"a":"1","b":[2]}]"# + "\n")
    try expect(output(["-nc", "$ARGS.positional", "--args", "x", "--jsonargs", "3"]), equals: "[\"x\",3]\n")
    try withFile("1 [2]") { path throws in
      try expect(
        output(["-nc", "--slurpfile", "a", path, "--rawfile", "b", path, "[$a, $b]"]),
        equals: "[[1,[2]],\"1 [2]\"]\n")
    }
    try expect(
      flow(["eval", "-n", "env.SOME, $ENV.SOME"], environment: ["SOME": "x"]).output, equals: "\"x\"\n\"x\"\n"
    )
  }

  @Test func programsFromFilesAndModules() throws {
    try withFile("# a comment\n.a + 1", named: "program.jq") { path throws in
      try expect(output(["-f", path], #"{"a":1}"#), equals: "2\n")
    }
    try withFile("def twice: . * 2;", named: "lib.jq") { path throws in
      let folder = String(path.dropLast("/lib.jq".count))
      try expect(output(["-n", "-L", folder, "import \"lib\" as l; 4 | l::twice"]), equals: "8\n")
    }
  }

  @Test func filesOneAfterTheOther() throws {
    try withFile("1 2\n") { path throws in
      let outcome = try flow(["eval", "-c", "[., input_filename]", path, "/nonexistent", path])
      expect(outcome.output, equals: "[1,\"\(path)\"]\n[2,\"\(path)\"]\n[1,\"\(path)\"]\n[2,\"\(path)\"]\n")
      expect(outcome.errors, equals: "flow: error: Could not open /nonexistent: No such file or directory\n")
      expect(outcome.status, equals: 2)
    }
  }

  @Test func standardInputHasAName() throws {
    try expect(output(["-c", "[input_filename]"], "1"), equals: "[\"<stdin>\"]\n")
  }

  @Test func exitStatusTellsWhatHappened() throws {
    let cases: [([String], String, Int32)] = [
      (["."], "1", 0), (["-e", "."], "1", 0), (["-e", "."], "null", 1), (["-e", "."], "1 false", 1),
      (["-e", "empty"], "1", 4), (["-e", "."], "", 4), (["empty"], "1", 0), ([".a"], "1", 5),
      ([".a"], "1 {}", 0),
      (["."], "{", 5), (["-x"], "", 2), (["."], "nul", 5), (["}"], "1", 3), (["-n", "halt_error(7)"], "", 7),
      (["-n", "halt"], "", 0), (["-n", "error"], "", 5), (["--argjson", "a", "{", "."], "", 2),
      (["-f", "/nonexistent"], "", 2), (["--seq", "."], "1", 0),
    ]
    for (arguments, input, status) in cases {
      try expect(flow(["eval"] + arguments, input: input).status, equals: status, "\(arguments) \(input)")
    }
  }

  @Test func wrongUseNamesTheHelp() throws {
    try expect(
      flow(["eval", "--what", "."]),
      equals: Outcome(
        status: 2, output: "", errors: "flow eval: unknown option “--what”\nSee flow help eval.\n"))
    #expect(
      try flow(["eval", "--argjson", "a", "{"]).errors.hasPrefix(
        "flow eval: invalid JSON text passed to --argjson a"))
  }

  @Test func theFilterMayBeMissing() throws {
    try expect(output([], "[1]"), equals: "[\n  1\n]\n")
    try expect(output(["-c"], "[1]"), equals: "[1]\n")
  }

  @Test func errorsSayWhere() throws {
    let outcome = try flow(["eval", "-c", ".a"], input: "{\"a\":1}\n[1]\n{\"a\":2}\n")
    expect(outcome.output, equals: "1\n2\n")
    expect(
      outcome.errors,
      equals: """
        flow: error (at <stdin>:2): Cannot index array with string ("a")
            .a
            ^^

        """)
    try expect(
      flow(["eval", "error({a: 1})"], input: "1").errors,
      equals: """
        flow: error (at <stdin>:0) (not a string): {"a":1}
            error({a: 1})
            ^^^^^

        """)
    try expect(
      flow(["eval", "-n", "1 as $x\n| $x.y"]).errors,
      equals: """
        flow: error (at <stdin>:0): Cannot index number with string ("y")
            | $x.y
              ^^^^ <top-level>, line 2, column 3

        """)
    try expect(
      flow(["eval", "."], input: "[1,]").errors,
      equals: "flow: parse error: Expected another array element at line 1, column 4\n")
    try expect(flow(["eval", "-n", "\"bye\\n\" | halt_error"]).errors, equals: "bye\n")
    try expect(flow(["eval", "-n", "{a: 1} | halt_error"]).errors, equals: "{\"a\":1}\n")
  }

  @Test func debugAndErrorStreamStandApart() throws {
    let outcome = try flow(["eval", "-nc", "[1] | debug | stderr"])
    expect(outcome, equals: Outcome(status: 0, output: "[1]\n", errors: "[\"DEBUG:\",[1]]\n[1]"))
  }

  @Test func helpAndVersion() throws {
    #expect(try flow(["--help"]).output.contains("eval FILTER"))
    #expect(try flow(["eval", "--help"]).output.contains("--raw-output0"))
    try expect(flow(["eval", ".", "a", "-rh"]), equals: flow(["eval", "--help"]))
    try expect(flow(["eval", "-V"]), equals: flow(["version"]))
    #expect(try flow(["version"]).output.hasPrefix("flow "))
    try expect(flow(["evil"]).status, equals: 2)
    try expect(flow([]).status, equals: 2)
  }

  @Test func theExamplesOfTheHelpRun() throws {
    let launch = #"{"id":7,"name":"Demo","net":"2026","status":{"abbrev":"Go"}}"#
    try withFile("name\nDemo\n", named: "launches.csv") { table throws in
      try withFile("{\"results\":[\(launch)]}", named: "page.json") { page throws in
        try withFile(launch, named: "launches.jsonl") { launches throws in
          let examples = EvalCommand.manual.examples.map(\.command)
          #expect(examples.count >= 5)
          for example in examples {
            let line = example.dropFirst("flow ".count).replacing("page.json", with: page)
              .replacing("launches.jsonl", with: launches).replacing("launches.csv", with: table)
            let outcome = try flow(words(line))
            #expect(
              outcome.status == 0 && !outcome.output.isEmpty && outcome.errors.isEmpty,
              "\(example) \(outcome)")
          }
        }
      }
    }
  }

  /// A command line's words, single quotes around some.
  private func words(_ line: some StringProtocol) -> [String] {
    var words: [String] = []
    for (number, part) in String(line).split(separator: Character("'"), omittingEmptySubsequences: false)
      .enumerated()
    {
      if number % 2 == 1 {
        words.append(String(part))
      } else {
        words += part.split(separator: Character(" ")).map(String.init)
      }
    }
    return words
  }
}
