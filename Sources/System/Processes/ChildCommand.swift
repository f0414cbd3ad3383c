import Glibc

/// A command to run as a child process: a list of arguments, never a shell script.
package struct ChildCommand: Sendable {
  /// Where its standard output goes.
  package enum Output: Sendable, Equatable {
    /// Captured up to a number of bytes.
    case captured(limit: Int)
    /// The standard output of this process.
    case inherited
    case discarded

    package var captureLimit: Int? {
      if case .captured(let limit) = self { limit } else { nil }
    }
  }

  /// The program, looked up along PATH if its name has no slash, and its arguments.
  package var arguments: [String]
  /// Variables added to the environment of this process.
  package var environment: [String: String] = [:]
  /// The variables of this process that the command gets; nil for all.
  package var inherits: Set<String>?
  /// The working directory, to which a relative path of the program refers; nil for the current one.
  package var workingDirectory: String?
  package var output = Output.discarded
  /// The time after which it and all its processes receive SIGTERM.
  package var timeout: Duration = .seconds(30)
  /// The time after that until SIGKILL.
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

  /// Runs it on the calling thread until it ends, at most for `timeout` and `killAfter`.
  ///
  /// If it fails or times out, all that is left of its process group is killed. Background processes of a command with
  /// status 0 continue. Processes that still hold a pipe are not waited for. `stop` kills the group at once. This
  /// assumes that `onErrorLine` returns soon.
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

/// The result of a run.
package struct ChildResult: Sendable {
  package var end: ChildEnd
  /// Its standard output, if captured.
  package var output: [UInt8] = []
  /// How many bytes were printed beyond the limit.
  package var outputLost = 0
}

/// Keeps SIGPIPE from ending the process if `body` writes to a pipe without a reader.
///
/// The handler of SIGPIPE belongs to the whole process and is not changed; the thread's mask is. A signal caused by
/// `body` is consumed before the mask is restored.
package func withoutPipeSignal<Result>(_ body: () -> Result) -> Result {
  var pipe = sigset_t()
  var before = sigset_t()
  var pending = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  sigpending(&pending)
  pthread_sigmask(SIG_BLOCK, &pipe, &before)
  defer {
    if sigismember(&pending, SIGPIPE) != 1 {
      var none = timespec()
      while sigtimedwait(&pipe, nil, &none) == -1, errno == EINTR {}
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
  return body()
}
