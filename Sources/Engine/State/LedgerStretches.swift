import Language
import System
import Store

/// Stretches: what comes of a source that can be read again is written ahead of its epoch, and after a crash made again
/// at the same time of day, and passed over as far as it is there.
extension Ledger {
  func openStretch() {
    if state.value.isRegenerating, let former {
      state.value.stretch = former
      return
    }
    let now = lane.present
    if let next = state.value.nextStretch, abs(next.now - now.now) < Self.staleness {
      state.value.stretch = next
    } else {
      // Kept first: nothing of the stretch may be written before its time is.
      commit()
      state.value.stretch = state.value.nextStretch ?? now
    }
  }

  /// Whether what is written now can be made again.
  ///
  /// Where the stretch could not be kept, that is over: what comes then may be of timers.
  var isInStretch: Bool { state.value.stretch != nil && !state.value.isBroken }

  func regenerate() {
    let isDone = !state.value.sinks.contains { $0.hasSurplus() }
    if isDone || state.value.events > 2 * limits.events + 100_000 { endRegeneration() }
  }

  /// Whether what a run before this one has written is being made again; then nothing else may be written.
  var isRegenerating: Bool { state.value.isRegenerating }

  /// Has something done when that is over.
  func postpone(_ action: @escaping @Sendable () -> Void) { state.value.postponed.append(action) }

  /// What was written has been made again: all of it has come, or the source has caught up with all that can have been
  /// read.
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

  /// The run ends in the middle of that: it keeps nothing, as if it had been killed, and the next one begins again
  /// where it began.
  func breakOffRegeneration() {
    guard state.value.isRegenerating else { return }
    crashPoint("replay.broken off")
    state.value.isRegenerating = false
    state.value.isBroken = true
    state.value.postponed = []
  }

  /// Hands the sinks what the last run has not told to be written; before anything else happens.
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
    if isRepeatable, former != nil, state.value.sinks.contains(where: { $0.hasSurplus() }) {
      state.value.isRegenerating = true
    } else {
      for sink in state.value.sinks { sink.endReplay() }
      // Where files were left is known before they are written to.
      commit()
    }
  }
}
