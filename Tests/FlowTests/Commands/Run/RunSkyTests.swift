import Expectations
import Foundation
import Testing

/// `flow run --sky` and `--for`, from outside.
@Suite("flow run --sky")
struct RunSkyTests {
  private let pipeline = """
    sources: { upcoming: { launch_library: { limit: 5, cache: 1h }, every: 6h } }
    steps: [{ map: '{ id, at: $meta.at, simulated: $meta.simulated, image: .image.image_url }' }]
    sinks: { screen: { console: '\\(.at) \\(.id)' }, log: { jsonl: out.jsonl } }
    """

  @Test("a pipeline runs under a sky without a network, by its time, and standard error reports that")
  func simulated() throws {
    let place = try Workplace(pipeline)
    // Whoever asked for a proxy would have to wait for it.
    let outcome = try place.flow(
      "run", "--sky", "--once", "p.yaml", environment: ["https_proxy": "http://127.0.0.1:1"])
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    expect(lines.count, equals: 5, "standard output has the data alone")
    #expect(lines.allSatisfy { $0.hasPrefix("2026-01-01T00:") }, "\(outcome.output)")
    let log = place.lines("out/sky/out.jsonl")
    expect(log.count, equals: 5)
    #expect(log.allSatisfy { $0.contains("\"simulated\":true") })
    // Links lead to where the client believes to be.
    let pictures = log.filter { !$0.contains("\"image\":null") }
    #expect(!pictures.isEmpty)
    #expect(pictures.allSatisfy { $0.contains("https://ll.thespacedevs.com/pictures/") }, "\(pictures)")
    #expect(outcome.errors.contains("sky: simulated, from seed 1"))
  }

  @Test("its time runs at the given speed, and --for stops it gracefully")
  func speed() throws {
    let place = try Workplace(pipeline)
    let start = ContinuousClock.now
    let outcome = try place.flow("run", "--sky", "--speed", "86400", "--seed", "7", "--for", "8s", "p.yaml")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    #expect(ContinuousClock.now - start >= .seconds(8))
    let times = Set(place.lines("out/sky/out.jsonl").compactMap { $0.firstMatch(of: /"at":"([^"]*)"/)?.1 })
    #expect(
      times.count >= 2, "in eight seconds there are thirty polls, of which a slow machine may miss many")
    #expect(outcome.errors.contains("from seed 7"))
    #expect(!outcome.errors.contains("error"), "\(outcome.errors)")
  }

  @Test("what goes wrong there is told as it is elsewhere")
  func faults() throws {
    let place = try Workplace(pipeline)
    let outcome = try place.flow("run", "--sky", "--faults", "html=1", "--once", "p.yaml")
    expect(outcome.status, equals: 1)
    #expect(
      outcome.errors.contains("ll.thespacedevs.com") && outcome.errors.contains("HTML"), "\(outcome.errors)")
  }

  @Test(
    "options that exclude each other are refused",
    arguments: [
      (["--speed", "10"], "--speed needs --sky"), (["--sky", "--speed", "0"], "--speed 0"),
      (["--sky", "--speed", "fast"], "--speed takes a number"), (["--sky", "--replay", "rec"], "--sky"),
      (["--sky", "--faults", "420"], "there is no fault “420”"), (["--for", "soon"], "--for"),
    ])
  func mistakes(_ options: [String], _ message: String) throws {
    let place = try Workplace(pipeline)
    try FileManager.default.createDirectory(atPath: place["rec"], withIntermediateDirectories: true)
    try place.write("rec/upcoming.jsonl", #"{"at":"2026-01-01T00:00:00Z","rows":[]}"# + "\n")
    try place.write("stdin", "")
    let outcome = try Running(["run"] + options + ["p.yaml"], in: place, input: .file(place["stdin"])).end()
    expect(outcome.status, equals: 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test("a poll that would wait for its budget fails with --wait-budget 0")
  func waitBudget() throws {
    let place = try Workplace(
      """
      sources:
        a: { launch_library: { limit: 5 } }
        b: { launch_library: { limit: 6 } }
      sinks: { log: { from: [a, b], jsonl: out.jsonl } }
      """)
    try place.write("config.yaml", "budgets: { ll.thespacedevs.com: 1 in 1h }")
    let outcome = try place.flow("run", "--sky", "--once", "--wait-budget", "0", "p.yaml")
    expect(outcome.status, equals: 1, "\(outcome.errors)")
    // A second of the machine is an hour of the sky.
    let spent = "the budget of ll.thespacedevs.com is spent; next call in "
    #expect((1...60).contains { outcome.errors.contains("\(spent)\($0) min") }, "\(outcome.errors)")
    let wrong = try place.flow("run", "--sky", "--once", "--wait-budget", "5", "p.yaml")
    expect(wrong.status, equals: 2)
    #expect(
      wrong.errors.contains("--wait-budget: the duration “5” has a number without a unit"), "\(wrong.errors)")
  }

  @Test("a run under the sky keeps no state, and a second run starts over")
  func forgetting() throws {
    let place = try Workplace(
      pipeline.replacingOccurrences(of: "steps: [", with: "steps: [{ dedupe: .id }, "))
    for _ in 0..<2 {
      let outcome = try place.flow(
        "run", "--sky", "--once", "p.yaml", environment: ["XDG_STATE_HOME": place["home"]])
      expect(outcome.status, equals: 0, "\(outcome.errors)")
      expect(place.lines("out/sky/out.jsonl").count, equals: 5)
    }
    #expect(!place.has("home"))
  }
}
