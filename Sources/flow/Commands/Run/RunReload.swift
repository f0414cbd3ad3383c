import Engine
import Glibc
import Language
import Reactive
import Store
import System

/// Pipelines that were read again, with what a new run of them needs.
struct Reloaded {
  let plans: [Plan]
  /// The paths of pipelines whose file, includes or config have changed.
  let changed: Set<String>
  let secrets: Secrets
}

/// Reloading: a pipeline whose files have changed is stopped at an epoch, planned again, and continues with its state.
///
/// Others are untouched. A file that is wrong is reported, and the pipeline that runs goes on. Sources that are as they
/// were are not polled because of it: their next polls stay where they were.
extension Runner {
  mutating func reload(_ signals: RunSignals) {
    let reloaded = tools.reload()
    // A file that is wrong may be mended.
    watch?.follow(tools.inputs())
    guard let reloaded else { return }
    options.world[Secrets.self] = reloaded.secrets
    var counts = (reloaded: 0, started: 0, stopped: 0)
    for plan in reloaded.plans {
      let index = members.lastIndex { $0.run.plan.path == plan.path }
      guard let index else {
        if !successors.contains(where: { $0.plan.path == plan.path }) {
          successors.append(
            Successor(plan: plan, nextPolls: [:], deadline: MonotonicClock.now + options.grace))
          counts.started += 1
        }
        continue
      }
      guard reloaded.changed.contains(plan.path) else { continue }
      let run = members[index].run
      if let reason = Self.obstacle(to: plan, after: run.plan) {
        NodeLog(log: options.log, pipeline: plan.name, node: "").error("not reloaded: \(reason)")
        continue
      }
      members[index].successor = Successor(
        plan: plan, nextPolls: Self.nextPolls(of: plan, after: run),
        deadline: MonotonicClock.now + options.grace)
      run.stop(.reload)
      counts.reloaded += 1
    }
    let paths = Set(reloaded.plans.map(\.path))
    for member in members where !paths.contains(member.run.plan.path) && !member.isEnded {
      member.run.stop()
      counts.stopped += 1
    }
    unbegun.formIntersection(paths)
    // Those that are still there have a successor.
    waiting = []
    report(counts)
    succeed(signals)
  }

  private func report(_ counts: (reloaded: Int, started: Int, stopped: Int)) {
    let parts = [(counts.reloaded, "reloaded"), (counts.started, "started"), (counts.stopped, "stopped")]
      .filter { $0.0 > 0 }.map { "\($0.0) pipeline\($0.0 == 1 ? "" : "s") \($0.1)" }
    log.notice(parts.isEmpty ? "nothing has changed; nothing was reloaded" : parts.joined(separator: ", "))
  }

  /// Why a pipeline cannot take the place of another.
  private static func obstacle(to plan: Plan, after former: Plan) -> String? {
    let readsInput = (plan.sources + former.sources).contains { $0.spec.kind == "stdin" }
    if readsInput { return "it reads standard input, of which lines would be lost" }
    return nil
  }

  /// The next polls of the sources that are as they were; infinite for one that has ended.
  private static func nextPolls(of plan: Plan, after run: PipelineRun) -> [String: Double] {
    var times: [String: Double] = [:]
    for status in run.status().sources where status.isPolled {
      guard let before = run.plan.sources.first(where: { $0.name == status.name }),
        let source = plan.sources.first(where: { $0.name == status.name }),
        source.spec.kind == before.spec.kind, source.shown == before.shown
      else { continue }
      if status.hasEnded, status.error == nil { times[status.name] = .infinity }
      // A poll that is under way is cut off, and done again at once.
      if let next = status.nextPoll { times[status.name] = next }
    }
    return times
  }

  /// Starts the successors of pipelines that have ended.
  mutating func succeed(_ signals: RunSignals) {
    let now = MonotonicClock.now
    for index in members.indices.reversed() {
      guard var successor = members[index].successor else { continue }
      if members[index].isEnded {
        let run = members[index].run
        former[run.plan.name] = RunTotals(run.status(), after: former[run.plan.name])
        // Its state and files are released with it.
        tools.roster.remove(members[index].run)
        members.remove(at: index)
        successor.deadline = now + options.grace
        successors.append(successor)
      } else if successor.deadline <= now, !successor.isAborted {
        members[index].run.abort()
        successor.isAborted = true
        successor.deadline = .distantFuture
        members[index].successor = successor
      }
    }
    var left: [Successor] = []
    for successor in successors {
      do {
        var options = options
        options.nextPolls = successor.nextPolls
        let member = try make(successor.plan, options, signals)
        members.append(member)
        start(member)
      } catch let error as StoreError where error.isHeld && now < successor.deadline {
        left.append(successor)
      } catch let error as StoreError where error.isHeld || error.isFull {
        tools.roster.note(successor.plan, .waiting, error)
        waiting.append(WaitingPipeline(successor.plan, error, options.log))
      } catch let error as FileFailure where error.isInUse && now < successor.deadline {
        left.append(successor)
      } catch {
        fail(successor.plan, error)
      }
    }
    successors = left
  }
}

extension StoreError {
  /// A run that has just ended may still hold the state for a moment.
  var isHeld: Bool { if case .held = kind { true } else { false } }
}

/// The secrets that messages hide: those of all pipelines that the run has read.
final class RunSecrets: Sendable {
  private let secrets: Locked<Secrets>

  init(_ secrets: Secrets) { self.secrets = Locked(secrets) }

  var present: Secrets { secrets.withLock { $0 } }

  func masked(_ text: String) -> String { present.masked(text) }

  /// Adds those of pipelines that were read again.
  func add(_ others: Secrets) { secrets.withLock { $0.add(others) } }
}
