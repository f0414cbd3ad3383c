import Store

/// A task of the cluster: a pipeline, which one worker at a time runs.
public struct ClusterTask: Sendable {
  public var name: String
  /// The digest of its plan.
  public var digest: String
  /// The machine that it belongs to; nil for any.
  public var machine: String?

  public init(name: String, digest: String, machine: String? = nil) {
    (self.name, self.digest, self.machine) = (name, digest, machine)
  }
}

/// A run of a task on a worker.
public protocol TaskRun: AnyObject {
  /// Asks it to end, with its last epoch committed.
  func stop()
  /// Whether it has ended, and has closed its state file.
  var isOver: Bool { get }
}

/// What runs tasks.
public protocol TaskHost: AnyObject {
  /// Opens the state of a task that was taken over, and runs it; throws a `StoreError` of kind `.full` for a later
  /// attempt, `.fenced` where another worker has the task.
  func start(_ task: ClusterTask, _ log: TaskLog, _ takeover: TaskTakeover) throws -> any TaskRun
  func note(_ task: ClusterTask, _ event: TaskEvent)
}

public enum TaskEvent: Equatable, Sendable {
  case taken(from: String?, generation: Int64)
  case released
  /// Another worker has taken it over meanwhile.
  case fenced
  case waitingForPlan(writer: String)
  case failed(String)
}

/// A worker: takes over the tasks that are its own among the live workers, and releases the others.
///
/// Every worker computes the same owner of a task from the leases. Two that see different leases may take turns at a
/// task, which the log permits to one of them only.
public final class ClusterWorker {
  public struct Options: Sendable {
    /// A live owner has so many seconds to release a task.
    public var releaseSeconds = 2.0
    public var log: TaskLog.Options

    public init(log: TaskLog.Options) { self.log = log }
  }

  private enum State {
    case idle(wantedSince: Double?)
    case taken(TaskLog)
    case running(TaskLog, any TaskRun)
    case stopping(TaskLog, any TaskRun)
    /// It has ended by itself, and stays here so that no other worker begins it anew.
    case ended(TaskLog)
    case failed(TaskLog)
  }

  private struct Account {
    /// When it was taken over, and from whom.
    var taken: Double?
    var from: String?
    var reason: String?
  }

  public let name: String
  private let journal: any Journal
  private let host: any TaskHost
  private let options: Options
  private let now: () -> Double
  private let random: () -> UInt64
  private var tasks: [(task: ClusterTask, state: State)]
  /// What is reported of each task.
  private var accounts: [Account]
  /// Whether it releases all tasks, by itself or because it was requested.
  public private(set) var isLeaving = false
  /// Whether a worker leaves, so that `step` is worth calling often.
  public private(set) var isHandoverNear = false
  private var takeovers = 0

  /// The name must be one that no other process has ever had, without spaces and `#`.
  public init(
    _ name: String, _ tasks: [ClusterTask], _ journal: any Journal, _ host: any TaskHost, _ options: Options,
    now: @escaping () -> Double, random: @escaping () -> UInt64
  ) {
    (self.name, self.journal, self.host, self.options) = (name, journal, host, options)
    (self.now, self.random) = (now, random)
    self.tasks = tasks.map { ($0, .idle(wantedSince: nil)) }
    accounts = tasks.map { _ in Account() }
  }

  /// The worker that is to run a task: of those on its machine, or of all, the one with the highest hash of both, so
  /// that of few tasks the owner changes when a worker joins or leaves.
  public static func owner(of task: ClusterTask, among workers: [String]) -> String? {
    workers.filter { task.machine == nil || WorkerLease.machine(of: $0) == task.machine }
      .max { (hash($0, task.name), $0) < (hash($1, task.name), $1) }
  }

  private static func hash(_ worker: String, _ task: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(worker) \(task)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    // FNV alone mixes the last bytes too little.
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ (hash >> 33)
  }

  /// Whether nothing of it runs any more after `leave`.
  public var hasLeft: Bool {
    isLeaving
      && tasks.allSatisfy {
        switch $0.state {
        case .idle: true
        default: false
        }
      }
  }

  /// Begins to release all tasks; `step` until `hasLeft`.
  ///
  /// The others see it, and take a task over as soon as it is released.
  public func leave() {
    if isLeaving { return }
    isLeaving = true
    try? journal.requestLeave(of: name)
  }

  /// Looks after all tasks once; leases are renewed elsewhere, since a state may take long to open.
  public func step() {
    var workers = isLeaving ? [] : try? journal.workers()
    if workers?.contains(WorkerLease(name: name, isLeaving: true)) == true {
      isLeaving = true
      workers = []
    }
    isHandoverNear = isLeaving || workers?.contains(where: \.isLeaving) == true
    let staying = workers.map { $0.filter { !$0.isLeaving }.map(\.name) }
    for index in tasks.indices {
      let task = tasks[index].task
      // Without an answer everything stays: what another worker has taken over is refused by its log.
      let isWanted = staying.map { Self.owner(of: task, among: $0) == name }
      var account = accounts[index]
      tasks[index].state = next(
        tasks[index].state, of: task, isWanted: isWanted, workers?.map(\.name) ?? [], &account)
      if case .idle(nil) = tasks[index].state {
        account = Account()
        // The machine that is missing is reported by those that are there.
        if let machine = task.machine, let staying, Self.owner(of: task, among: staying) == nil {
          account.reason = "for a worker on \(machine)"
        }
      }
      accounts[index] = account
    }
    if hasLeft { try? journal.endLease(of: name) }
  }

  private func next(
    _ state: State, of task: ClusterTask, isWanted: Bool?, _ workers: [String], _ account: inout Account
  ) -> State {
    switch state {
    case .idle(let since):
      guard isWanted == true else { return .idle(wantedSince: nil) }
      return take(task, since ?? now(), workers, &account)
    case .taken(let log):
      if isWanted == false || log.isFenced { return release(log, task) }
      return start(task, log, &account)
    case .running(let log, let run):
      if run.isOver {
        if !log.isFenced { return .ended(log) }
        host.note(task, .fenced)
        return .idle(wantedSince: nil)
      }
      if isWanted != false { return state }
      run.stop()
      return .stopping(log, run)
    case .stopping(let log, let run): return run.isOver ? release(log, task) : state
    case .ended(let log), .failed(let log): return isLeaving ? release(log, task) : state
    }
  }

  private func release(_ log: TaskLog, _ task: ClusterTask) -> State {
    let isFenced = log.isFenced
    log.release()
    host.note(task, isFenced ? .fenced : .released)
    return .idle(wantedSince: nil)
  }

  private func take(
    _ task: ClusterTask, _ since: Double, _ workers: [String], _ account: inout Account
  ) -> State {
    let takeover = TaskTakeover(journal, task: task.name, options.log)
    do throws(JournalError) {
      let owner = try takeover.owner()
      let isAlive =
        owner.map { owner in
          owner != name && workers.contains { owner.hasPrefix("\($0)#") && $0 != name }
        } ?? false
      if isAlive, now() - since < options.releaseSeconds {
        account.reason = "for its release by \(owner.map(Self.worker) ?? "")"
        return .idle(wantedSince: since)
      }
      takeovers += 1
      let outcome = try takeover.take(
        writer: "\(name)#\(takeovers)", digest: task.digest, newLog: String(random(), radix: 36),
        mayChangePlan: !isAlive)
      switch outcome {
      case .lost: return .idle(wantedSince: since)
      case .otherPlan(let writer):
        host.note(task, .waitingForPlan(writer: writer))
        account.reason = "for \(Self.worker(writer)), which runs another version of it"
        return .idle(wantedSince: since)
      case .taken(let log):
        host.note(task, .taken(from: owner, generation: log.generation))
        account = Account(taken: now(), from: owner.map(Self.worker))
        return start(task, log, &account)
      }
    } catch {
      if case .refused(let reason) = error { host.note(task, .failed(reason)) }
      account.reason = "for the servers: \(error)"
      return .idle(wantedSince: since)
    }
  }

  private func start(_ task: ClusterTask, _ log: TaskLog, _ account: inout Account) -> State {
    account.reason = nil
    do {
      return .running(log, try host.start(task, log, TaskTakeover(journal, task: task.name, options.log)))
    } catch let error as StoreError where error.isFull || error.isHeld {
      account.reason = "for its state: \(error)"
      return .taken(log)
    } catch  where log.isFenced {
      return release(log, task)
    } catch {
      account.reason = "\(error)"
      host.note(task, .failed("\(error)"))
      return .failed(log)
    }
  }
}

extension ClusterWorker {
  /// The worker in the name of a writer, which counts its takeovers.
  private static func worker(_ writer: String) -> String { String(writer.prefix { $0 != "#" }) }

  /// What others see of the tasks that this worker has, is to have, or cannot have.
  public var report: [WorkerReport.Task] {
    zip(tasks, accounts).compactMap { entry, account in
      var phase = WorkerReport.Task.Phase.waiting
      var log: TaskLog?
      switch entry.state {
      case .idle: if account.reason == nil { return nil }
      case .taken(let own): log = own
      case .running(let own, _): (phase, log) = (.running, own)
      case .stopping(let own, _): (phase, log) = (.stopping, own)
      case .ended(let own): (phase, log) = (.ended, own)
      case .failed(let own): (phase, log) = (.failed, own)
      }
      var task = WorkerReport.Task(name: entry.task.name, phase: phase)
      (task.reason, task.from, task.seconds) = (
        account.reason, account.from, account.taken.map { now() - $0 }
      )
      if let log { (task.generation, task.commits) = (log.generation, log.place.ordinal) }
      return task
    }
  }
}

extension StoreError {
  /// The run before has not closed the file yet.
  fileprivate var isHeld: Bool { if case .held = kind { true } else { false } }
}
