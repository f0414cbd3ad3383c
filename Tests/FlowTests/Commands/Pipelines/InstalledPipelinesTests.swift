import Expectations
import Foundation
import Testing

/// Pipelines work from any folder, by path or by the name of an installed one.
@Suite("installed pipelines") struct InstalledPipelinesTests {
  private static let pipeline = """
    # flow run pipelines/greet.yaml
    name: greet
    include: [lib/greet.jq]
    sources: { in: { file: in.jsonl } }
    steps: [ map: greet ]
    sinks:
      log: { jsonl: out/greet.jsonl }
      tell: { exec: { command: [sh, say.sh, '\\(.)'], output: stdout } }
    tests:
      - { name: one, given: { in: [{ event: { n: a } }] }, expect: { log: [{ is: hello a }], tell: [{ is: hello a }] } }
    """

  /// A data folder with the pipeline `greet`, and a working directory with its input.
  private func install(into folder: String = "data/flow/pipelines") throws -> Workplace {
    let place = try Workplace()
    for name in ["\(folder)/lib", "work"] {
      try FileManager.default.createDirectory(atPath: place[name], withIntermediateDirectories: true)
    }
    try place.write("\(folder)/greet.yaml", Self.pipeline)
    try place.write("\(folder)/lib/greet.jq", #"def greet: "hello \(.n)";"#)
    try place.write("\(folder)/say.sh", "echo \"said $1 in ${PWD##*/}\"\n")
    try place.write("work/in.jsonl", #"{"n":"you"}"# + "\n")
    return place
  }

  private func shell(_ place: Workplace, _ script: String, data: String = "XDG_DATA_HOME") throws -> Outcome {
    try place.shell(
      "cd work && \(script)",
      environment: [data: place["data"], "XDG_STATE_HOME": place["state"], "HOME": place["home"]])
  }

  @Test("a path works from any folder: what belongs to a pipeline is next to it, what it writes is here")
  func paths() throws {
    let place = try install(into: "elsewhere")
    let outcome = try shell(place, "\"$0\" run ../elsewhere/greet.yaml")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    expect(outcome.output, equals: "said hello you in work\n")
    expect(place.text("work/out/greet.jsonl"), equals: "\"hello you\"\n")
  }

  @Test("an installed pipeline is run, checked, tested and drawn by its name")
  func names() throws {
    let place = try install()
    let run = try shell(place, "\"$0\" run greet")
    #expect(run.status == 0 && run.output == "said hello you in work\n", "\(run.errors)")
    #expect(place.has("work/out/greet.jsonl"))
    try expect(shell(place, "\"$0\" check greet.yaml").output, equals: "1 pipeline, no errors\n")
    #expect(try shell(place, "\"$0\" test greet").output.contains("  ok    one\n"))
    #expect(try shell(place, "\"$0\" graph greet", data: "XDG_DATA_DIRS").output.hasPrefix("greet\n"))
  }

  @Test("the installed file of definitions is named where a pipeline includes one that is not next to it")
  func installedDefinitions() throws {
    let place = try install()
    try place.write(
      "work/own.yaml",
      "include: [lib/greet.jq]\nsources: { in: stdin }\nsteps: [ map: greet ]\nsinks: { o: console }\n")
    let missing = try shell(place, "\"$0\" check own.yaml")
    let copy = "install -D \(place["data"])/flow/pipelines/lib/greet.jq lib/greet.jq"
    #expect(
      missing.status == 2 && missing.errors.contains("for a copy of the installed one: \(copy)\n"),
      "\(missing)")
    _ = try shell(place, copy)
    #expect(try shell(place, "\"$0\" check own.yaml").output == "1 pipeline, no errors\n")
  }

  @Test("a file takes precedence over an installed pipeline, the user's pipelines over the system's")
  func precedence() throws {
    let place = try install()
    let other = Self.pipeline.replacingOccurrences(of: "name: greet", with: "name: other")
    try FileManager.default.createDirectory(
      atPath: place["home/.local/share/flow/pipelines/lib"], withIntermediateDirectories: true)
    try place.write("home/.local/share/flow/pipelines/greet.yaml", other)
    try place.write("home/.local/share/flow/pipelines/lib/greet.jq", "def greet: .;")
    #expect(try shell(place, "\"$0\" graph greet", data: "XDG_DATA_DIRS").output.hasPrefix("other\n"))
    try place.write("work/greet", "sources: { here: stdin }\nsinks: { out: console }\n")
    #expect(try shell(place, "\"$0\" graph greet").output.contains("here  stdin"))
  }

  @Test(
    "one's own pipeline has a name too: that of its file here, or of its state; which file it is is printed")
  func ownNames() throws {
    let place = try Workplace()
    try FileManager.default.createDirectory(atPath: place["else"], withIntermediateDirectories: true)
    try place.write("orders.yaml", Self.own.replacing("NAME", with: "orders"))
    try place.write("else/deep.yaml", Self.own.replacing("NAME", with: "mine"))
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1}],"coverage":"complete"}"#)
    #expect(
      try place.flow("run", "--once", "orders").errors.contains("“orders” is the pipeline orders.yaml\n"))
    #expect(try !place.flow("run", "--once", "-q", "orders").errors.contains("is the pipeline"))
    #expect(try place.flow("run", "--once", "else/deep.yaml").status == 0)
    for name in ["orders", "mine"] {
      for command in [
        ["graph", name], ["check", name], ["test", name], ["history", name, "1"], ["at", "0s", name],
        ["verify", name], ["backtest", name, "--over", "rec"], ["why", name, "1"],
        ["why-not", name, "1"], ["status", name], ["state", "show", name],
      ] {
        let seen = try place.flow(command)
        #expect(
          !seen.errors.contains("cannot open") && !seen.errors.contains("there is no"), "\(command): \(seen)")
      }
    }
    #expect(try place.flow("graph", "mine").errors.contains("“mine” is the pipeline /"))
  }

  private static let own = """
    name: NAME
    trace: 10 events
    sources: { in: { generate: '{ id: 1 }' } }
    steps: [ { changes: .id } ]
    sinks: { log: { jsonl: out/NAME.jsonl } }
    """

  @Test("what only reads or runs in virtual time needs no variable of the environment; a run does")
  func variables() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { http: { url: 'https://example.org/', bearer: '${NO_SUCH_TOKEN}' }, every: 1h } }
      steps: [ { changes: { key: .id, first: emit } } ]
      sinks: { log: { jsonl: out/log.jsonl } }
      tests: [{ name: one, given: { in: [{ at: 0s, poll: [{ id: 1 }] }] }, expect: { log: [{ at: 0s }] } }]
      """)
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1}],"coverage":"complete"}"#)
    let run = try place.run("--once")
    #expect(run.status == 2 && run.errors.contains("the variable NO_SUCH_TOKEN is not set"), "\(run)")
    let replay = try place.run("--replay", "rec")
    #expect(
      replay.status == 0 && replay.errors.contains("warning: p.yaml:2:64: the variable NO_SUCH_TOKEN"),
      "\(replay)")
    let check = try place.flow("check", "p.yaml")
    #expect(check.status == 0 && check.output == "1 pipeline, no errors, 1 warning\n", "\(check)")
    #expect(check.errors.contains("warning: the variable NO_SUCH_TOKEN is not set"))
    for command in [
      ["graph", "p"], ["test", "p"], ["history", "p", "1"], ["at", "0s", "p"],
      ["verify", "p", "--against", "rec"],
      ["why", "p", "1", "--over", "rec"], ["why-not", "p", "1", "--over", "rec"],
    ] {
      let seen = try place.flow(command)
      #expect(seen.status == 0 && !seen.errors.contains("NO_SUCH_TOKEN"), "\(command): \(seen)")
    }
  }

  @Test("a path to nothing leads to the installed pipeline of that name, and a name of a step to its page")
  func leads() throws {
    let place = try install()
    let seen = try shell(place, "\"$0\" run pipelines/greet.yaml")
    #expect(seen.status == 2 && seen.errors.contains("an installed pipeline has the name “greet”"), "\(seen)")
    let help = try place.flow("help", "changes")
    #expect(help.status == 2 && help.errors.contains("flow docs changes describes changes"), "\(help)")
  }

  @Test("a name that is none is an error with the closest one, or the list")
  func unknown() throws {
    let place = try install()
    let near = try shell(place, "\"$0\" run gret")
    #expect(near.status == 2 && near.errors.hasSuffix("; did you mean the pipeline “greet”?\n"))
    #expect(try shell(place, "\"$0\" check quit").errors.contains("; installed pipelines: greet"))
    #expect(try !shell(place, "\"$0\" check ./quit").errors.contains("installed"))
    // A file that is there, and the value of an option that needs none.
    let other = try shell(place, "touch mine.yaml; \"$0\" run mine.yml")
    #expect(other.errors.hasSuffix("; did you mean “mine.yaml”?\n"), "\(other.errors)")
    #expect(try shell(place, "\"$0\" run \"$UNSET\"").errors.contains("the name is empty: is a variable"))
    let port = try shell(place, "\"$0\" run --page 8788 greet")
    #expect(port.errors.contains("8788: ") && port.errors.contains("as in --page=8788\n"), "\(port.errors)")
    #expect(try shell(place, "\"$0\" new --from quit").errors.contains("; installed pipelines: greet"))
  }

  @Test("flow new --from copies a pipeline with the files that belong to it, under the name of the file")
  func copies() throws {
    let place = try install()
    let outcome = try shell(
      place,
      "\"$0\" new --from greet -o sub/mine.yaml || mkdir sub && \"$0\" new --from greet -o sub/mine.yaml")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("wrote sub/lib/greet.jq\nwrote sub/say.sh\n"), "\(outcome.errors)")
    let copy = place.text("work/sub/mine.yaml")
    #expect(copy.hasPrefix("# flow run sub/mine.yaml\nname: mine\ninclude:"), "\(copy)")
    try expect(
      shell(place, "rm -r ../data && \"$0\" run sub/mine.yaml").output, equals: "said hello you in work\n")
  }

  @Test("the comments of a copy name the recording where it is")
  func recording() throws {
    let place = try install()
    let folder = "data/flow/pipelines"
    try FileManager.default.createDirectory(
      atPath: place["\(folder)/recordings/greet"], withIntermediateDirectories: true)
    try place.write("\(folder)/greet.yaml", "# flow run --replay recordings/greet greet\n\(Self.pipeline)")
    try expect(shell(place, "\"$0\" new --from greet -o mine.yaml").status, equals: 0)
    let copy = place.text("work/mine.yaml")
    #expect(copy.hasPrefix("# flow run --replay \(place[folder])/recordings/greet "), "\(copy)")
  }

  @Test("files that exist are kept; without -o the copy is printed")
  func kept() throws {
    let place = try install()
    try place.write("work/say.sh", "mine")
    let outcome = try shell(place, "\"$0\" new other --from greet -o mine.yaml")
    #expect(outcome.errors.contains("kept say.sh, which differs from that of the pipeline\n"))
    #expect(place.text("work/say.sh") == "mine" && place.text("work/mine.yaml").contains("\nname: other\n"))
    try expect(shell(place, "\"$0\" new --from greet -o mine.yaml").status, equals: 2)
    let printed = try shell(place, "\"$0\" new --from greet")
    expect(printed.output, equals: Self.pipeline)
    #expect(printed.errors.contains("needs lib/greet.jq, say.sh next to it"))
    try expect(shell(place, "\"$0\" new --from greet --steps map").status, equals: 2)
  }

  @Test("the shipped pipelines pass their checks and tests from another folder")
  func shipped() throws {
    let place = try Workplace()
    let outcome = try place.shell("\"$0\" test '\(ShippedPipelinesTests.root)'/pipelines/*.yaml")
    #expect(outcome.status == 0 && !place.has("out"), "\(outcome.output)\(outcome.errors)")
    let slips = try place.shell(
      "\"$0\" run '\(ShippedPipelinesTests.root)/pipelines/slips.yaml'",
      environment: ["XDG_STATE_HOME": place["state"]])
    #expect(slips.status == 0 && !slips.output.isEmpty, "\(slips.errors)")
  }
}
