import Store
import System

/// Recovery: repeatable epochs, and what happens at the start of a run after a crash.
///
/// 1. Sinks are given the outputs that the last run committed and did not report as written.
/// 2. If a file holds bytes behind its last committed mark, an earlier run wrote part of a repeatable epoch. The source
///    is read again from the committed position, at the committed time, and sinks compare what comes with those bytes
///    instead of writing it. This ends when all of the bytes have come, or the source has caught up.
/// 3. Timers that fire meanwhile are postponed, since an undisturbed run would have fired them later.
extension Checkpointer {
  func openRepeatableEpoch() {
    if state.value.isRegenerating, let former {
      state.value.repeatableTime = former
      return
    }
    let now = lane.present
    if let next = state.value.nextRepeatableTime, abs(next.now - now.now) < Self.staleness {
      state.value.repeatableTime = next
    } else {
      // Invariant 3: the time is committed before anything of the epoch is written.
      commit()
      state.value.repeatableTime = state.value.nextRepeatableTime ?? now
    }
  }

  /// Whether output of this turn can be regenerated after a crash, so that it need not go through the outbox.
  ///
  /// Not after a failed commit: what comes then may be of timers.
  var isInRepeatableEpoch: Bool { state.value.repeatableTime != nil && !state.value.isBroken }

  func regenerate() {
    let isDone = !state.value.sinks.contains { $0.hasUncommittedTail }
    if isDone || state.value.events > 2 * limits.events + 100_000 { endRegeneration() }
  }

  /// Whether output of an earlier run is being regenerated; nothing else may be written meanwhile.
  var isRegenerating: Bool { state.value.isRegenerating }

  /// Runs an action when regeneration has ended.
  func postpone(_ action: @escaping @Sendable () -> Void) { state.value.postponed.append(action) }

  /// Regeneration is complete: all bytes have come, or the source has caught up with everything read before.
  func endRegeneration() {
    guard state.value.isRegenerating else { return }
    crashPoint("replay.ending")
    state.value.isRegenerating = false
    for sink in state.value.sinks { sink.endReplay() }
    let postponed = state.value.postponed
    state.value.postponed = []
    for action in postponed { lane.scheduler.perform(action) }
    commit()
  }

  /// The run ends during regeneration: it stores nothing, as if killed, and the next run starts over.
  func breakOffRegeneration() {
    guard state.value.isRegenerating else { return }
    crashPoint("replay.broken off")
    state.value.isRegenerating = false
    state.value.isBroken = true
    state.value.postponed = []
  }

  /// Gives the sinks the outputs that the last run did not report as written; before anything else happens.
  func recover() {
    do {
      for sink in state.value.sinks {
        crashPoint("recovery.of a sink")
        try sink.recover(from: state.value.file)
      }
      crashPoint("recovery.done")
    } catch {
      return fail(error)
    }
    if isRepeatable, former != nil, state.value.sinks.contains(where: \.hasUncommittedTail) {
      state.value.isRegenerating = true
    } else {
      for sink in state.value.sinks { sink.endReplay() }
      // The marks of files are committed before the files are written to; that the time between the runs has passed is
      // committed with what steps make of it in the first turn, or a run after a kill would know of no such time.
      commit(at: former)
      state.value.nextRepeatableTime = nil
    }
  }
}
