import Store
import System

/// A run of an assignment on a worker.
public protocol AssignmentRun: AnyObject {
  /// Asks it to end, with its last epoch committed.
  func stop()
  /// Ends it at once: what is not committed is done again by the next owner.
  func abort()
  /// Whether it stands still because there is no room on the disk for its state.
  var lacksRoom: Bool { get }
  /// Whether it has ended, and has closed its state file.
  var isOver: Bool { get }
  /// The reason why it has ended, where it should not have; nil otherwise.
  var failure: String? { get }
}

/// A host that runs assignments.
public protocol AssignmentHost: AnyObject {
  /// The opening of an assignment's state, which no run of it has open any more.
  func opening(of assignment: Assignment) -> StateOpening
  /// Runs an assignment that was taken over; throws an `AssignmentWait` or a `StoreError` that is passing for a later
  /// attempt, and one of kind `.fenced` where another worker has the assignment.
  func start(_ assignment: Assignment, _ log: CommitLog, _ state: OpenedState) throws -> any AssignmentRun
  func note(_ assignment: Assignment, _ event: AssignmentEvent)
  /// The bytes that are free where the states are.
  var freeBytes: Int { get }
}

/// A worker: takes over the assignments that are its own among the live workers, and releases the others.
///
/// Every worker computes the same owner of an assignment from the leases. Two that see different leases may take turns
/// at an assignment, which the log permits to one of them only.
public final class ClusterWorker {
  public struct Options: Sendable {
    /// A live owner has so many seconds to release an assignment.
    public var releaseSeconds = 2.0
    /// An assignment waits for so many seconds for room on the disk before another machine is to have it.
    public var fullSeconds = 5.0
    /// The owner of an assignment that has committed nothing for so many seconds looks whether it still is.
    ///
    /// Else one that was frozen meanwhile might never know: nothing is refused where there is nothing to commit, since
    /// another worker has taken its input.
    public var quietSeconds = 60.0
    /// It looks at once where it was frozen or had no answer for so long, in which its lease may have ended.
    public var silentSeconds = 3.0
    /// After such a silence of the servers others have so many seconds to renew their leases, before what they run is
    /// taken over.
    public var calmSeconds = 4.0
    /// A worker with a full disk tries again after so many seconds, where more room is not seen: a quota say.
    public var fullRetrySeconds = 600.0
    /// So many assignments are taken over at once: each waits some ten times for servers and the disk.
    public var takeoversAtOnce = 8
    public var log: CommitLog.Options

    public init(log: CommitLog.Options) { self.log = log }
  }

  private enum State {
    case idle(wantedSince: Double?)
    /// Its state could not be opened yet.
    case taken(CommitLog, lacksRoom: Bool)
    case running(CommitLog, any AssignmentRun)
    case stopping(CommitLog, any AssignmentRun)
    /// It has ended by itself, and does not run again while it is this worker's.
    case ended(CommitLog)
    case failed(CommitLog)

    /// The log of one that runs, or does not run any more.
    var log: CommitLog? {
      switch self {
      case .running(let log, _), .ended(let log), .failed(let log): log
      case .idle, .taken, .stopping: nil
      }
    }
  }

  private struct Account {
    /// When it was taken over, and from whom.
    var taken: Double?
    var from: String?
    var reason: String?
    /// The next attempt of one that waits for something else on its machine, and how long it has waited for that.
    var retry: (at: Double, pause: Double)?
    /// The last commit that was seen, and the time of the last look at its log since.
    var commit: (ordinal: Int64, seen: Double)?
  }

  /// How many seconds it is until the second attempt at what waits for something on its machine, and until later ones.
  private static let (firstPause, longestPause) = (1.0, 10.0)
  /// In one step so many logs are looked at, at most.
  private static let mostLooks = 8

  public let name: String
  private let journal: any Journal
  private let host: any AssignmentHost
  private let options: Options
  private let now: () -> Double
  private let random: () -> UInt64
  private var assignments: [(assignment: Assignment, state: State)]
  /// The report of each assignment.
  private var accounts: [Account]
  /// The owner of each assignment among these workers.
  private var owners: (among: [WorkerLease], names: [String?]) = ([], [])
  /// Whether it releases all assignments, by itself or because it was requested.
  public private(set) var isLeaving = false
  /// Whether a worker leaves, so that `step` is worth calling often.
  public private(set) var isHandoverNear = false
  /// Whether its disk is full, so that it has only what no other worker can have; to be noted in the journal as often as
  /// its lease is renewed.
  public private(set) var isFull = false
  /// Since when assignments have waited for room on the disk.
  private var fullSince: Double?
  /// How much was free meanwhile.
  private var freeWhenFull = 0
  private var takeovers = 0
  /// The logs of which the servers have lost a part, by assignment: one that is lost as a whole begins again from this
  /// machine's state, which is the newest.
  private var lostLogs: [String: String] = [:]
  /// When the servers have last answered.
  private var lastAnswer: Double
  private var hasAnswer = false
  /// Until when nothing is taken over from workers whose leases have ended.
  private var calmUntil = -Double.infinity
  /// The assignment whose log is looked at next: they take turns.
  private var nextLook = 0

  /// The name must be one that no other process has ever had, without spaces and `#`.
  public init(
    _ name: String, _ assignments: [Assignment], _ journal: any Journal, _ host: any AssignmentHost,
    _ options: Options,
    now: @escaping () -> Double, random: @escaping () -> UInt64
  ) {
    (self.name, self.journal, self.host, self.options) = (name, journal, host, options)
    (self.now, self.random) = (now, random)
    lastAnswer = now()
    self.assignments = assignments.map { ($0, .idle(wantedSince: nil)) }
    accounts = assignments.map { _ in Account() }
  }

  /// The worker that is to run an assignment: of those on its machine, or of all, the one with the highest hash of both,
  /// so that of few assignments the owner changes when a worker joins or leaves.
  ///
  /// Workers with a full disk are left out unless all have one.
  public static func owner(of assignment: Assignment, among workers: [WorkerLease]) -> String? {
    let able = workers.filter {
      !$0.isLeaving && (assignment.machine == nil || WorkerLease.machine(of: $0.name) == assignment.machine)
    }
    let roomy = able.filter { !$0.isFull }
    return (roomy.isEmpty ? able : roomy).map(\.name)
      .max { (hash($0, assignment.name), $0) < (hash($1, assignment.name), $1) }
  }

  private static func hash(_ worker: String, _ assignment: String) -> UInt64 {
    var hash = StableHash("\(worker) \(assignment)".utf8).value
    // By itself it mixes the last bytes too little.
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ (hash >> 33)
  }

  /// Whether nothing of it runs any more after `leave`.
  public var hasLeft: Bool {
    isLeaving
      && assignments.allSatisfy {
        switch $0.state {
        case .idle: true
        default: false
        }
      }
  }

  /// Begins to release all assignments; `step` until `hasLeft`.
  ///
  /// The others see it, and take an assignment over as soon as it is released.
  public func leave() {
    if isLeaving { return }
    isLeaving = true
    try? journal.requestLeave(of: name)
  }

  /// Looks after all assignments once; leases are renewed elsewhere, since a state may take long to open.
  public func step() {
    var workers = isLeaving ? [] : try? journal.workers()
    if workers?.contains(where: { $0.name == name && $0.isLeaving }) == true {
      isLeaving = true
      workers = []
    }
    isHandoverNear = isLeaving || workers?.contains(where: \.isLeaving) == true
    noteRoom()
    if workers != nil {
      if hasAnswer, now() - lastAnswer >= options.silentSeconds { calmUntil = now() + options.calmSeconds }
      hasAnswer = true
    }
    // Its own note may not have arrived yet, nor its lease.
    workers = workers.map { leases in
      let isNoted = isLeaving || leases.contains { $0.name == name }
      return (isNoted ? leases : leases + [WorkerLease(name: name)]).map {
        $0.name == name ? WorkerLease(name: name, isLeaving: $0.isLeaving, isFull: isFull) : $0
      }
    }
    if let workers, workers != owners.among || owners.names.isEmpty {
      owners = (workers, assignments.map { Self.owner(of: $0.assignment, among: workers) })
    }
    if workers != nil, !isLeaving { lookAtQuietLogs() }
    var openings: [(index: Int, opening: AssignmentOpening)] = []
    for index in assignments.indices {
      let assignment = assignments[index].assignment
      // Without an answer everything stays: what another worker has taken over is refused by its log.
      let isWanted = workers.map { _ in owners.names[index] == name }
      switch next(assignments[index].state, of: assignment, isWanted: isWanted, &accounts[index]) {
      case .state(let state): set(state, of: index, workers)
      case .take(let since):
        openings.append((index, opening(of: assignment, taking(since: since, assignment, workers))))
      case .open(let log): openings.append((index, opening(of: assignment, .state(log))))
      }
      if openings.count < options.takeoversAtOnce, index + 1 < assignments.count { continue }
      let outcomes = concurrently(openings.count, threads: openings.count) { [openings] in
        openings[$0].opening.outcome
      }
      for (index, outcome) in zip(openings.map(\.index), outcomes) {
        set(state(after: outcome, of: assignments[index].assignment, &accounts[index]), of: index, workers)
      }
      openings = []
    }
    if hasLeft { try? journal.endLease(of: name) }
  }

  /// Looks whether others have taken over what has committed nothing for a while.
  private func lookAtQuietLogs() {
    let time = now()
    if time - lastAnswer >= options.silentSeconds {
      for index in assignments.indices {
        accounts[index].commit = assignments[index].state.log.map { ($0.place.ordinal, -.infinity) }
      }
    }
    lastAnswer = time
    var looks = 0
    for index in Array(assignments.indices[nextLook...]) + assignments.indices[..<nextLook] {
      guard let log = assignments[index].state.log else { continue }
      let ordinal = log.place.ordinal
      if let commit = accounts[index].commit, commit.ordinal == ordinal {
        guard time - commit.seen >= options.quietSeconds else { continue }
        nextLook = index
        guard looks < Self.mostLooks, log.lookForOwner() else { return }
        looks += 1
      }
      accounts[index].commit = (ordinal, time)
    }
  }

  /// Finds out whether the disk is full: an assignment has waited long enough for room, and there is no more since.
  private func noteRoom() {
    let waits = assignments.contains {
      switch $0.state {
      case .running(_, let run), .stopping(_, let run): run.lacksRoom
      case .taken(_, let lacksRoom): lacksRoom
      case .idle, .ended, .failed: false
      }
    }
    guard waits || isFull else { return fullSince = nil }
    let free = host.freeBytes
    guard let since = fullSince else { return (fullSince, freeWhenFull) = (now(), free) }
    let passed = now() - since
    if !isFull {
      freeWhenFull = min(freeWhenFull, free)
      isFull = passed >= options.fullSeconds
    } else if passed < 2 * options.fullSeconds {
      // What the assignments that leave free themselves is no room for their return.
      freeWhenFull = max(freeWhenFull, free)
    } else if !waits, free > freeWhenFull + ClusterWorker.room || passed > options.fullRetrySeconds {
      (isFull, fullSince) = (false, nil)
    }
  }

  /// So much more must be free on a disk that was full.
  private static let room = 1 << 20

  private func set(_ state: State, of index: Int, _ workers: [WorkerLease]?) {
    assignments[index].state = state
    guard case .idle(nil) = state else { return }
    accounts[index] = Account()
    // The machine that is missing is reported by those that are there.
    let assignment = assignments[index].assignment
    if let machine = assignment.machine, workers != nil, owners.names[index] == nil {
      accounts[index].reason = "for a worker on \(machine)"
    }
  }

  private enum Next {
    case state(State)
    /// It is to be taken over, and was wanted since then.
    case take(since: Double)
    /// It was taken over, and its state is to be opened.
    case open(CommitLog)
  }

  private func next(
    _ state: State, of assignment: Assignment, isWanted: Bool?, _ account: inout Account
  ) -> Next {
    switch state {
    case .idle(let since):
      return isWanted == true ? .take(since: since ?? now()) : .state(.idle(wantedSince: nil))
    case .taken(let log, _):
      if isWanted == false || log.isFenced { return release(log, assignment) }
      return account.retry.map { now() < $0.at } == true ? .state(state) : .open(log)
    case .running(let log, let run):
      if run.isOver {
        if log.isFenced { return noteFenced(assignment, log) }
        account.reason = run.failure
        return .state(run.failure == nil ? .ended(log) : .failed(log))
      }
      if log.isFenced {
        run.abort()
      } else {
        if isWanted != false { return .state(state) }
        run.stop()
      }
      return .state(.stopping(log, run))
    case .stopping(let log, let run):
      if run.isOver { return release(log, assignment) }
      // Its last epoch cannot be committed here.
      if run.lacksRoom { run.abort() }
      return .state(state)
    case .ended(let log), .failed(let log):
      // Where it fails here, it may run there; and here again, should it come back.
      return isLeaving || isWanted == false || log.isFenced ? release(log, assignment) : .state(state)
    }
  }

  private func release(_ log: CommitLog, _ assignment: Assignment) -> Next {
    if !log.isFenced, log.release() {
      host.note(assignment, .released)
      return .state(.idle(wantedSince: nil))
    }
    return noteFenced(assignment, log)
  }

  private func noteFenced(_ assignment: Assignment, _ log: CommitLog) -> Next {
    if let loss = log.loss {
      lostLogs[assignment.name] = log.place.log
      host.note(assignment, .lost(loss))
    } else {
      host.note(assignment, .fenced)
    }
    // At once, and also where it is to be another's: no other has that state.
    return log.needsRepair ? .take(since: -.infinity) : .state(.idle(wantedSince: nil))
  }

  private func taking(since: Double, _ assignment: Assignment, _ workers: [WorkerLease]?)
    -> AssignmentOpening.Need
  {
    takeovers += 1
    return .takeover(
      AssignmentOpening.Taking(
        worker: name, writer: "\(name)#\(takeovers)",
        newLog: lostLogs[assignment.name] ?? String(random(), radix: 36), since: since,
        others: workers?.map(\.name) ?? [], awaitsRelease: now() - since < options.releaseSeconds,
        isCalm: now() < calmUntil))
  }

  private func opening(of assignment: Assignment, _ need: AssignmentOpening.Need) -> AssignmentOpening {
    AssignmentOpening(
      assignment: assignment, need: need,
      takeover: LogTakeover(journal, of: assignment.name, options.log), open: host.opening(of: assignment))
  }

  private func state(
    after outcome: AssignmentOpening.Outcome, of assignment: Assignment, _ account: inout Account
  ) -> State {
    switch outcome {
    case .waits(let since, let reason, let event):
      if let event { host.note(assignment, event) }
      if let reason { account.reason = reason }
      return .idle(wantedSince: since)
    case .taken(let log, let owner, let state):
      lostLogs[assignment.name] = nil
      host.note(assignment, .taken(from: owner, generation: log.generation))
      account = Account(taken: now(), from: owner.map(WorkerLease.worker(ofWriter:)))
      return start(assignment, log, state, &account)
    case .opened(let log, let state): return start(assignment, log, state, &account)
    }
  }

  private func start(
    _ assignment: Assignment, _ log: CommitLog, _ state: OpenedState, _ account: inout Account
  ) -> State {
    account.reason = nil
    do {
      let run = try host.start(assignment, log, state)
      account.retry = nil
      if let event = log.finding { host.note(assignment, event) }
      return .running(log, run)
    } catch let error as StoreError where error.isPassing {
      account.reason = "for its state: \(error)"
      return .taken(log, lacksRoom: error.isFull)
    } catch let wait as AssignmentWait {
      account.reason = wait.reason
      // Each attempt reads the log again, and makes what comes before in the pipeline.
      let pause = min(account.retry.map { $0.pause * 2 } ?? Self.firstPause, Self.longestPause)
      account.retry = (now() + pause, pause)
      host.note(assignment, .waiting(wait))
      return .taken(log, lacksRoom: false)
    } catch  where log.isFenced {
      _ = noteFenced(assignment, log)
      return .idle(wantedSince: nil)
    } catch {
      account.reason = "\(error)"
      host.note(assignment, .failed("\(error)"))
      return .failed(log)
    }
  }
}

extension ClusterWorker {
  /// The report to others about the assignments that this worker has, is to have, or cannot have.
  public var report: [WorkerReport.Task] {
    zip(assignments, accounts).compactMap { entry, account in
      var phase = WorkerReport.Task.Phase.waiting
      var log: CommitLog?
      switch entry.state {
      case .idle: if account.reason == nil { return nil }
      case .taken(let own, _): log = own
      case .running(let own, _): (phase, log) = (.running, own)
      case .stopping(let own, _): (phase, log) = (.stopping, own)
      case .ended(let own): (phase, log) = (.ended, own)
      case .failed(let own): (phase, log) = (.failed, own)
      }
      var report = WorkerReport.Task(name: entry.assignment.name, phase: phase)
      (report.reason, report.from, report.seconds) = (
        account.reason, account.from, account.taken.map { now() - $0 }
      )
      if let log { (report.generation, report.commits) = (log.generation, log.place.ordinal) }
      if phase == .running, let trouble = log?.trouble {
        (report.phase, report.reason) = (.waiting, "for the servers: \(trouble)")
      }
      return report
    }
  }
}
