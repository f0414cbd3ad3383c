import Expectations
import Foundation
import Testing

/// `flow install-service` writes a unit for the user's systemd.
@Suite("install-service") struct InstallServiceCommandTests {
  private func place() throws -> Workplace {
    try Workplace(
      """
      name: my pipeline/1
      description: 100 % of it
      sources: { in: stdin }
      sinks: { out: console }
      """)
  }

  @Test("the unit runs the file with this working directory, and says how to start it")
  func unit() throws {
    let place = try place()
    let outcome = try place.shell(
      "mkdir 'a b' && cd 'a b' && \"$0\" install-service ../p.yaml", environment: ["HOME": place["home"]])
    #expect(outcome.status == 0 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("systemctl --user enable --now flow-my-pipeline-1.service\n"))
    let unit = place.text("home/.config/systemd/user/flow-my-pipeline-1.service")
    #expect(unit.contains("\nDescription=flow: 100 %% of it\n"))
    #expect(unit.contains("\nExecStart=/") && unit.contains("/flow run \(place["p.yaml"])\n"), "\(unit)")
    #expect(unit.contains("\nType=notify\n") && unit.contains("\nWatchdogSec=5min\n"))
    #expect(unit.contains("\nWorkingDirectory=\(place["a b"])\n"))
    let again = try place.shell("\"$0\" install-service p.yaml", environment: ["HOME": place["home"]])
    #expect(again.status == 2 && again.errors.contains("already exists; use --force to overwrite it"))
  }

  @Test("arguments are quoted as systemd reads them, and an invalid file is not installed")
  func quoting() throws {
    let place = try place()
    try place.write("q $x%.yaml", "vars: { a: 1 }\nsources: { in: stdin }\nsinks: { out: console }")
    let printed = try place.flow("install-service", "-o", "-", "--set", "a=\"1 2\"", "q $x%.yaml")
    let folder = place.path
    #expect(printed.output.contains(#" --set "a=\"1 2\"" "\#(folder)/q $$x%%.yaml""#), "\(printed.output)")
    try place.write("p.yaml", "sources: {}")
    try expect(place.flow("install-service", "p.yaml").status, equals: 2)
  }
}
