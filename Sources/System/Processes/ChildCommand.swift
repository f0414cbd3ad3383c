/// A command to be run as a child process: a list of arguments, never a line for a shell.
package struct ChildCommand: Sendable {
  /// What becomes of what it prints on its standard output.
  package enum Output: Sendable, Equatable {
    /// Handed back when it has ended, up to a number of bytes.
    case captured(limit: Int)
    /// Goes where our own goes.
    case inherited
    case discarded

    package var captureLimit: Int? {
      if case .captured(let limit) = self { limit } else { nil }
    }
  }

  /// The program, looked up along PATH if its name has no slash, and what it is given.
  package var arguments: [String]
  /// Set on top of the variables we have ourselves.
  package var environment: [String: String] = [:]
  /// Where it runs, and where a relative path of the program starts; nil for where we run.
  package var workingDirectory: String?
  package var output = Output.discarded
  /// How long it may run before SIGTERM goes to it and to all it has started.
  package var timeout: Duration = .seconds(30)
  /// How long it may go on after that before SIGKILL does.
  package var killAfter: Duration = .seconds(2)

  package init(
    arguments: [String], environment: [String: String] = [:], workingDirectory: String? = nil,
    output: Output = .discarded, timeout: Duration = .seconds(30), killAfter: Duration = .seconds(2)
  ) {
    self.arguments = arguments
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.output = output
    self.timeout = timeout
    self.killAfter = killAfter
  }

  /// Runs it to its end on the calling thread: at most for `timeout` and `killAfter`, whatever it does.
  ///
  /// When it fails or its time is up, all that is left of its process group is killed. What a command with status 0 has
  /// left in the background goes on. A process that still holds a pipe is not waited for. `stop` kills the group at
  /// once. All this as long as `onErrorLine` returns soon.
  package func run(
    input: [UInt8] = [], environment extra: [String: String] = [:], stop: StopSign? = nil,
    onErrorLine: (String) -> Void = { _ in }
  ) -> ChildResult {
    if stop?.isSet == true { return ChildResult(end: .stopped) }
    return withoutPipeSignal {
      do throws(StartFailure) {
        let run = try ChildRun(self, input: input, environment: extra, stop: stop)
        return run.finish(onErrorLine)
      } catch {
        return ChildResult(end: .couldNotStart(reason: error.reason, mayPass: error.mayPass))
      }
    }
  }
}

/// What came of a run.
package struct ChildResult: Sendable {
  package var end: ChildEnd
  /// What it printed, if that was to be captured.
  package var output: [UInt8] = []
  /// How many bytes it printed past the limit.
  package var outputLost = 0
}
