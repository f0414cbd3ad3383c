import CGlibc
import Glibc
import Reactive

/// A running child whose status has not been taken yet.
package struct Spawned: ~Copyable {
  /// Its process id, which is also that of its group.
  package let process: pid_t
  /// Readable when it has ended; none if the kernel does not support that.
  package let exit: Descriptor
}

/// Starts child processes.
package enum Spawn {
  /// Starts a command in its own process group, with no descriptors but the given ones.
  ///
  /// A missing file stands for `/dev/null`; no `output` for the one of this process. `more` are those from 3 on; their
  /// own numbers are higher.
  package static func start(
    _ command: ChildCommand, environment extra: [String: String], input: borrowing Descriptor,
    output: borrowing Descriptor, errors: borrowing Descriptor, more: [Int32] = []
  ) throws(StartFailure) -> Spawned {
    _ = keepsStatuses
    UnreapedChildren.collect()
    let variables = command.environment.merging(extra) { _, later in later }
    let name = command.arguments.first ?? ""
    try checkTexts(command, variables)
    let program = try ProgramSearch.find(name, along: ProgramSearch.path(variables))

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    place(input, at: 0, &actions)
    if command.output != .inherited { place(output, at: 1, &actions) }
    place(errors, at: 2, &actions)
    for (index, number) in more.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, number, Int32(3 + index))
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, Int32(3 + more.count))
    if let folder = command.workingDirectory { posix_spawn_file_actions_addchdir_np(&actions, folder) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    setAttributes(&attributes)

    var process: pid_t = 0
    let arguments = CStrings(command.arguments)
    let environment = CStrings(environmentWith: variables, inheriting: command.inherits)
    let code = arguments.withPointers { arguments in
      environment.withPointers { environment in
        posix_spawn(&process, program, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else {
      throw StartFailure(
        SystemError("posix_spawn", code: code), name: name, program: program,
        workingDirectory: command.workingDirectory)
    }
    DescriptorLimit.restore(in: process)
    crashPoint("command.started")
    return Spawned(process: process, exit: Descriptor(owning: flow_pidfd_open(process)))
  }

  private static func place(
    _ file: borrowing Descriptor, at number: Int32, _ actions: inout posix_spawn_file_actions_t
  ) {
    if file.isOpen {
      posix_spawn_file_actions_adddup2(&actions, file.number, number)
    } else {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
    }
  }

  /// A group of its own, with no signals blocked, ignored or handled.
  private static func setAttributes(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  /// Rejects text with a zero byte, which would be truncated, and names with `=`, which would set another variable.
  private static func checkTexts(
    _ command: ChildCommand, _ variables: [String: String]
  ) throws(StartFailure) {
    let name = command.arguments.first ?? ""
    if command.arguments.contains(where: { $0.utf8.contains(0) }) {
      throw StartFailure("cannot start a command: an argument contains a zero byte")
    }
    for (variable, value) in variables {
      if variable.isEmpty || variable.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "=") }) {
        throw StartFailure("cannot start \(name): \"\(variable)\" cannot be the name of a variable")
      }
      if value.utf8.contains(0) {
        throw StartFailure("cannot start \(name): the variable \(variable) contains a zero byte")
      }
    }
  }

  /// Makes the kernel keep the statuses of children, in case the parent process has disabled that.
  private static let keepsStatuses: Void = {
    var action = sigaction()
    sigaction(SIGCHLD, nil, &action)
    let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    if isIgnored || action.sa_flags & SA_NOCLDWAIT != 0 { signal(SIGCHLD, SIG_DFL) }
  }()
}
