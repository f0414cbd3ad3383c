import Foundation

/// The error of tests that find no command to run.
private struct NotBuilt: Error, CustomStringConvertible {
  let description = "there is no flow command beside the tests; build it, or name one in FLOW_COMMAND"
}

/// The `flow` command that tests run as a process: that of the environment's FLOW_COMMAND, as CI gives the release build,
/// else the one in the folder of the test bundle.
///
/// Always the latter with `isDebug`, for what only a debug build can do.
package func flowCommand(isDebug: Bool = false) throws -> URL {
  if let given = ProcessInfo.processInfo.environment["FLOW_COMMAND"], !given.isEmpty, !isDebug {
    guard FileManager.default.isExecutableFile(atPath: given) else { throw NotBuilt() }
    return URL(fileURLWithPath: given)
  }
  for path in CommandLine.arguments + Bundle.allBundles.map(\.bundlePath) {
    guard let end = path.range(of: ".xctest") else { continue }
    let bundle = URL(fileURLWithPath: String(path[..<end.upperBound]))
    let command = bundle.deletingLastPathComponent().appending(path: "flow")
    if FileManager.default.isExecutableFile(atPath: command.path) { return command }
  }
  throw NotBuilt()
}
