import Expectations
import JSON
import Synchronization
import Testing

@Suite struct EnvironmentTests {
  @Test(arguments: [
    "env", "$ENV", "input", "[inputs]", "debug", "stderr", "now", "input_filename", "input_line_number",
  ])
  func nothingIsThereUnlessHandedIn(_ program: String) throws {
    let message = try failure("try (\(program)) catch 1")
    expect(message?.contains("is not available here"), equals: true, "\(message ?? "ran")")
  }

  @Test func variables() throws {
    var environment = Environment()
    environment.variables = ["limit": .number(2)]
    let program = try Program(".[] | select(. > $limit)", variables: ["limit"])
    try expect(program.outputs(try Value.parse("[1, 2, 3]"), environment).map(\.description), equals: ["3"])
    #expect(throws: EvaluationError.self) { try program.outputs(try Value.parse("[1]")) }
  }

  @Test func inputsAndSinks() throws {
    var environment = Environment()
    var rest = [Value.number(2), .number(3)]
    environment.nextInput = { rest.isEmpty ? nil : rest.removeFirst() }
    var seen: [String] = []
    environment.debug = { seen.append($0.description) }
    environment.processEnvironment = try Value.parse(#"{"HOME": "/root"}"#)
    try expect(
      outputs("., [inputs], (try input catch .)", "1", environment), equals: ["1", "[2,3]", "\"break\""])
    try expect(outputs("debug, debug(\"x\\(.)\"), env.HOME, $ENV.HOME", "1", environment).count, equals: 4)
    expect(seen, equals: ["1", "\"x1\""])
  }

  @Test func halting() throws {
    do {
      _ = try outputs("1, halt_error(3)", "\"bye\"")
      Issue.record("it went on")
    } catch let error as EvaluationError {
      guard case .halt(let status, let output) = error else {
        Issue.record("\(error)")
        return
      }
      expect(status, equals: 3)
      expect(output?.string, equals: "bye")
    }
  }

  @Test func whatTheReceiverThrowsComesOut() throws {
    struct Enough: Error {}
    #expect(throws: Enough.self) {
      try Program("try range(10) catch 1").run(.null) { _ in throw Enough() }
    }
  }

  @Test func modules() throws {
    let files = [
      "lib/shapes.jq":
        "module {name: \"shapes\"}; include \"base\"; def area: .w * .h | scaled; def twice(f): f, f;",
      "lib/base.jq": "def scaled: . * 10;",
      "lib/data.json": "{\"a\": 1} {\"a\": 2}",
      "lib/loop.jq": "import \"loop\" as loop; def x: 1;",
      "lib/bad.jq": "def x: $nope;",
      "lib/main.jq": "1",
    ]
    let loader = ModuleLoader(searchPaths: ["lib"]) { path in files[path].map { Array($0.utf8) } }
    func run(_ program: String) throws -> [String] {
      try Program(program, modules: loader).outputs(try Value.parse(#"{"w": 2, "h": 3}"#)).map(\.description)
    }
    try expect(run("import \"shapes\" as s; s::area, [s::twice(.w)]"), equals: ["60", "[2,2]"])
    try expect(run("include \"shapes\"; area"), equals: ["60"])
    try expect(run("import \"data\" as $d; $d | map(.a), $d::d[0].a"), equals: ["[1,2]", "1"])
    try expect(
      run("\"shapes\" | modulemeta | .name, .defs, .deps[0].relpath"),
      equals: [
        "\"shapes\"", "[\"area/0\",\"twice/1\"]", "\"base\"",
      ])
    func refused(_ program: String) -> String {
      do throws(ProgramError) {
        _ = try Program(program, modules: loader)
        return "compiled"
      } catch {
        return error.description
      }
    }
    #expect(refused("import \"nowhere\" as n; 1").contains("module not found: nowhere"))
    #expect(refused("import \"loop\" as l; 1").contains("circular import"))
    #expect(refused("import \"bad\" as b; b::x").contains("$nope is not defined at lib/bad.jq, line 1"))
    #expect(refused("import \"main\" as m; 1").contains("library should only have function definitions"))
    #expect(refused("import \"../x\" as x; 1").contains("may not traverse"))
    expect(refusal("import \"a\" as a; 1")?.contains("modules cannot be read here"), equals: true)
  }

  @Test func libraryInFrontOfTheProgram() throws {
    let program = try Program(
      "row", library: Library([("lib/launch.jq", "def id: .id; def row: {id: id};")]))
    try expect(
      program.outputs(try Value.parse(#"{"id": 7, "x": 1}"#)).map(\.description), equals: [#"{"id":7}"#])
  }

  @Test func oneProgramOnManyThreads() async throws {
    let program = try Program(
      "select(.status.abbrev == \"Go\") | {id, n: ([.tags[] | ascii_upcase | select(test(\"A\"))] | length), s: .status.abbrev}"
    )
    let input = try Value.parse(#"{"id": 1, "status": {"abbrev": "Go"}, "tags": ["a", "b", "ca"]}"#)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let evaluator = program.evaluator()
          for _ in 0..<300 {
            let output = try evaluator.first(input)
            expect(output?.description, equals: #"{"id":1,"n":2,"s":"Go"}"#)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
