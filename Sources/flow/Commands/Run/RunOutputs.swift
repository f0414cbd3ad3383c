import Engine
import Language
import System

/// `--out` and `--live-sinks` of `flow run`: where sinks write, and whether a simulated or replayed run acts.
enum RunOutputs {
  static let folder = CommandOption(
    "out", .path("FOLDER"), "write all files below FOLDER, in place of out/ (under --sky out/sky)")
  static let live = CommandOption(
    "live-sinks", .flag,
    "under --sky and in replays: write the real files, run commands, send requests, notify")

  static let about = """
    Simulated and replayed runs leave real outputs alone. Under --sky files are written below out/sky, in a replay below \
    out/replay, each replacing the one that an earlier such run has left; with --state they continue where the state \
    does. Commands are not run, requests not sent and notifications not shown. One line on standard error reports each of \
    these at the start. With --live-sinks all sinks act as in a real run. A pipeline with replay sources is replayed \
    without --replay: there, only files below out/ are moved.

    --out FOLDER names the folder, for real runs too: out/a.jsonl becomes FOLDER/a.jsonl, b/c.jsonl FOLDER/b/c.jsonl and \
    /var/d.jsonl FOLDER/var/d.jsonl; .. never leads out of it. A simulated run does not write to a file of a real run, \
    nor a real run to a file of a simulated one.
    """

  /// The kind of a run, as far as its outputs are concerned.
  enum Kind {
    case real
    case sky
    /// With `--replay`, or of pipelines that name recordings themselves.
    case replay(isOption: Bool)
  }

  /// Where replays write what lies in out/ otherwise.
  static let replayFolder = "out/replay"

  /// The outputs of a run that was asked for.
  static func outputs(_ arguments: Arguments, of kind: Kind) throws(WrongUse) -> OutputPolicy {
    let (given, isLive) = (arguments.text(folder), arguments.has(live))
    let touchesDisk = !arguments.has(RunOption.dryRun)
    let outputs: OutputPolicy
    switch kind {
    case .real:
      if isLive {
        throw WrongUse("--live-sinks is for simulated and replayed runs; all sinks of this one are live")
      }
      outputs = OutputPolicy(below: given, reason: "because of --out", touchesDisk: touchesDisk)
    case .sky:
      outputs = OutputPolicy(
        below: given ?? (isLive ? nil : "out/sky"), of: .simulation, isLive: isLive, reason: "under --sky",
        touchesDisk: touchesDisk)
    case .replay(let isOption):
      outputs = OutputPolicy(
        below: given ?? (isLive ? nil : replayFolder), of: .simulation,
        keepsOtherPaths: !isOption && given == nil, isLive: isLive,
        reason: isOption ? "under --replay" : "in a replay", touchesDisk: touchesDisk)
    }
    if given == "" { throw WrongUse("--out takes a folder") }
    if let given, SystemDisk().status(of: given)?.isRegular == true {
      throw WrongUse("--out \(given): this is a file, not a folder")
    }
    return outputs
  }
}
