import Foundation
import TestSupport

/// Files that are read from their beginning to their end, after each kill from where it was: what comes out is, byte for
/// byte, what one run that nothing disturbs writes.
final class FileRun: Scenario {
  let place: Place
  let logs: [String]
  let endsByItself = true
  private(set) var isOver = false
  /// All outputs, and what is known of some of them without a run.
  private let outputs: [String]
  private let truth: [String: [String]]
  private let undisturbed: Place
  private let name: String
  private let size: Int
  /// Whether each life has another number of lanes.
  private let changesLanes: Bool
  var options: [String] { changesLanes ? ["--lanes", "\(Int.random(in: 1...4))"] : [] }

  /// - Parameters:
  ///   - name: The pipeline's, whose source is called `input`.
  ///   - logs: The outputs that `tail -F` follows too.
  init(
    _ place: Place, name: String, _ yaml: String, inputs: [String: Data], outputs: [String], logs: [String],
    truth: [String: [String]] = [:], changesLanes: Bool = false
  ) throws {
    self.changesLanes = changesLanes
    (self.place, self.name, self.outputs, self.logs, self.truth) = (place, name, outputs, logs, truth)
    let fresh = try Place("undisturbed")
    for place in [place, fresh] {
      try place.write("p.yaml", yaml)
      for (name, bytes) in inputs { try bytes.write(to: URL(fileURLWithPath: place[name])) }
    }
    undisturbed = fresh
    // Damaged lines of the input are lost, and the run says so.
    let status: Int32 = name == "formats" ? 1 : 0
    if try Life(fresh, []).end(within: 300) != .exited(status) {
      fresh.isKept = true
      throw Failure(description: "a run that nothing disturbed failed: see \(fresh.path)")
    }
    size = outputs.reduce(0) { $0 + fresh.log($1).count }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// A run that has come to its end is not resumed: the next one starts from the beginning.
  func mourn(_ end: Life.End, wasStopped: Bool) {
    if end == .exited(0), !wasStopped { isOver = true }
    if outputs.reduce(0, { $0 + place.log($1).count }) >= size, !hasPosition { isOver = true }
  }

  private var hasPosition: Bool {
    let show = TestProcess()
    show.executableURL = try? flowCommand()
    show.arguments = ["state", "show", name, "input", "--state", place["state/flow"]]
    show.standardOutput = FileHandle.nullDevice
    show.standardError = FileHandle.nullDevice
    guard (try? show.run()) != nil else { return true }
    show.waitUntilExit()
    return show.terminationStatus == 0
  }

  /// What the damaged lines of `formats` lose is in the status, in each life that reads some.
  func mayFail(_ lastWords: String) -> Bool { name == "formats" && lastWords.hasPrefix("input: error: ") }

  var isSettled: Bool { false }

  func verdict() throws -> Verdict {
    var verdict = Verdict()
    for output in outputs {
      let lines = place.logLines(output)
      verdict.add(.comparing(lines, with: undisturbed.logLines(output), in: output))
      if let truth = truth[output] {
        verdict.findings += Verdict.comparing(lines, with: truth, in: "\(output) by the model").findings
      }
      if undisturbed.log(output) != place.log(output), verdict.isGood {
        verdict.findings.append("a run that nothing disturbed writes something else to \(output)")
      }
    }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    where name.contains(".aside-") {
      verdict.findings.append("\(name) was set aside")
    }
    return verdict
  }
}
