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

  @Test(
    "with its page, whose address and token are printed and stay, and the variables that it has to be given")
  func page() throws {
    let place = try place()
    let environment = ["HOME": place["home"], "ACME": "s3cret-text", "OTHER": "s3cret-other"]
    try place.write(
      "q.yaml",
      "vars: { a: '${ACME}', b: '${OTHER}', c: '${HOME}' }\nsources: { in: stdin }\nsinks: { out: console }")
    _ = try place.shell("mkdir -p home/.config/flow")
    try place.write("home/.config/flow/environment", "OTHER = x\n")
    let made = try place.flow(
      "install-service", "--page=0.0.0.0:8799", "--page-pictures", "q.yaml", environment: environment)
    let token = place.text("state/flow/page-token").trimmingCharacters(in: .newlines)
    #expect(token.count > 16 && made.errors.contains(":8799/?token=\(token)\n"), "\(made.errors)")
    #expect(!made.errors.contains("0.0.0.0:") && !made.errors.contains("s3cret"))
    #expect(
      made.errors.contains(
        "reads ACME from the environment; the service takes it from \(place["home"])/.config/flow/environment, "
      ),
      "\(made.errors)")
    let unit = place.text("home/.config/systemd/user/flow-q.service")
    #expect(unit.contains(" run --page=0.0.0.0:8799 --page-pictures "), "\(unit)")
    let run = try place.flow(
      "install-service", "-o", "-", "--page-pictures", "q.yaml", environment: environment)
    #expect(run.status == 2 && run.errors.contains("--page-pictures needs --page"))
  }
}
