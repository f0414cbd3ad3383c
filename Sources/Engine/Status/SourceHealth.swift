import Language
import Reactive

/// The health of a source: what its status shows, and the log of polls that fail.
///
/// A failing source is reported once, then at growing intervals, from a minute to a day, and when it recovers, so that
/// an API that is down for a month fills no log. Written by the source's thread, read from any.
final class SourceHealth: Sendable {
  private static let pauses = (first: Duration.seconds(60), longest: Duration.seconds(86400))
  /// A shorter wait for the next poll is not announced.
  private static let shortestAnnounced = 10.0

  private struct State {
    var status: SourceStatus
    var pause = SourceHealth.pauses.first
    var nextReport = Instant()
    /// Whether the next poll is still to be announced, after the first that succeeded.
    var announcesNext = true
    /// Whether the present failure was reported by itself.
    var isReported = true
    /// Since when polls are put off.
    var waitingSince: Double?
    /// When the last failure was reported as a new one, and how many there were before.
    var trouble: (since: Double, before: Int)?

    /// Whether a failure is that of a connection which was made again and did not last, and so no new one.
    func isOld(_ failure: SourceStatus.Failure, at now: Instant) -> Bool {
      failure.polls > 1 || !status.isPolled && trouble != nil && now < nextReport + pause
    }
  }

  private let log: NodeLog
  private let state: Locked<State>
  /// Called at each failure; whether it is to be reported here.
  private let failed: @Sendable () -> Bool
  private let recovered: @Sendable () -> Void
  /// Called with each outcome.
  private let outcome: @Sendable (_ at: Double, PollOutcome.Result) -> Void

  init(
    _ status: SourceStatus, _ log: NodeLog, announcesNext: Bool = true,
    failed: @escaping @Sendable () -> Bool = { true }, recovered: @escaping @Sendable () -> Void = {},
    outcome: @escaping @Sendable (_ at: Double, PollOutcome.Result) -> Void = { _, _ in }
  ) {
    self.log = log.ofPolls
    self.failed = failed
    self.recovered = recovered
    self.outcome = outcome
    state = Locked(State(status: status, announcesNext: announcesNext))
  }

  var status: SourceStatus { state.withLock { $0.status } }

  /// Notes a poll that succeeded; nil where it had nothing to say.
  func note(_ answer: PollAnswer?, at time: Double) {
    let isStale = answer?.notes.member("stale")?.isTruthy ?? false
    let (before, isReported, wasStale, isPolled) = state.withLock { state in
      let before = (
        state.status.failure, state.isReported, state.status.lastPoll?.isStale == true, state.status.isPolled
      )
      state.status.polls += 1
      state.status.failure = nil
      (state.status.wait, state.waitingSince) = (nil, nil)
      state.status.lastPoll =
        answer.map {
          SourceStatus.Poll(
            at: time, rows: $0.rows.count, coverage: $0.coverage.name,
            isStale: isStale)
        } ?? state.status.lastPoll
      if let answer { state.status.lastPoll?.hint = answer.hint }
      if answer != nil, !isStale { state.status.lastGood = time }
      return before
    }
    if before != nil || wasStale, !isStale { recovered() }
    if let before, isReported {
      log.notice("recovered, after \(before.failedAttempts(isPolled)) since \(timestamp(before.since))")
    }
    if isStale {
      outcome(time, .failed(.other, reason: "the service failed, and its last good response is used"))
    } else if before == nil || isReported || isPolled {
      outcome(time, .good)
    }
  }

  /// Notes a poll that failed, by the monotonic clock and the time of day; reported unless `isReported` already, with the
  /// wait for the next one.
  func note(
    _ error: any Error, at now: Instant, timeOfDay: Double, next wait: Duration? = nil,
    isReported: Bool = false
  ) {
    let reason = "\(error)"
    let isReportedHere = failed()
    defer { noteFailure(error, reason, at: timeOfDay) }
    let message = state.withLock { state -> (text: String, isFirst: Bool)? in
      state.status.polls += 1
      state.status.failedPolls += 1
      state.status.wait = nil
      state.status.connectedSince = nil
      let since = state.status.failure?.since ?? state.waitingSince ?? timeOfDay
      state.waitingSince = nil
      let count = (state.status.failure?.polls ?? 0) + 1
      let failure = SourceStatus.Failure(
        since: since, polls: count, reason: reason, kind: FailureKind(of: error))
      state.status.failure = failure
      if state.isOld(failure, at: now) {
        if count == 1 { state.isReported = false }
        guard now >= state.nextReport else { return nil }
        if !state.status.isPolled { state.isReported = true }
        state.pause = min(state.pause * 2, SourceHealth.pauses.longest)
      } else {
        state.isReported = isReportedHere
        state.pause = SourceHealth.pauses.first
        state.trouble = (timeOfDay, state.status.failedPolls - 1)
      }
      state.nextReport = now + state.pause
      if count == 1, let trouble = state.trouble, trouble.before < state.status.failedPolls - 1 {
        let (times, since) = (state.status.failedPolls - trouble.before, timestamp(trouble.since))
        return ("failing again and again, \(times) failed attempts since \(since): \(reason)", false)
      }
      let text =
        "still failing, \(failure.failedAttempts(state.status.isPolled)) since \(timestamp(since)): \(reason)"
      return (text, count == 1)
    }
    guard let message, !isReported, isReportedHere else { return }
    // The time may have come already, where the clock is fast.
    let next =
      wait.map { wait in
        wait > .zero
          ? "; next try in \(DurationText.format(.seconds(wait.inSeconds.rounded(.up))))" : "; next try now"
      } ?? ""
    if message.isFirst { log.report(error, as: reason + next) } else { log.error(message.text + next) }
  }

  /// Notes that the next poll is put off, which is no failure until it has lasted for a time, in seconds.
  ///
  /// Returns whether it is none. Reported once, unless `isReported` already.
  func notePutOff(
    _ reason: String, until next: Double, at now: Double, patience: Double, isReported: Bool
  ) -> Bool {
    let isFirst = state.withLock { state -> Bool? in
      if state.status.failure != nil { return nil }
      let isFirst = state.waitingSince == nil
      let since = state.waitingSince ?? now
      state.waitingSince = since
      if now - since >= patience { return nil }
      state.status.wait = SourceStatus.Wait(reason: reason, until: next)
      return isFirst
    }
    if isFirst == true, !isReported {
      log.notice("\(reason); next try in \(DurationText.format(.seconds(max(0, next - now).rounded(.up))))")
    }
    return isFirst != nil
  }

  /// Calls `outcome`, but not where a connection is lost again which had not lasted.
  private func noteFailure(_ error: any Error, _ reason: String, at time: Double) {
    let isReported = state.withLock { $0.status.isPolled || $0.isReported }
    if isReported { outcome(time, .failed(FailureKind(of: error), reason: reason)) }
  }

  /// Notes that a source which reads on is connected.
  func noteConnection(at time: Double) {
    state.withLock { $0.status.connectedSince = time }
    note(nil, at: time)
  }

  /// Notes when the next poll is; after the first one that succeeded, this is announced.
  func noteNext(at time: Double?, now: Double) {
    let poll = state.withLock { state -> SourceStatus.Poll? in
      state.status.nextPoll = time
      guard let time, let poll = state.status.lastPoll, state.announcesNext else { return nil }
      state.announcesNext = false
      // The poll itself has taken a moment of it.
      return (time - now).rounded() >= SourceHealth.shortestAnnounced ? poll : nil
    }
    guard let poll, let time else { return }
    let rows = poll.rows == 1 ? "1 row" : "\(poll.rows) rows"
    let extent = poll.coverage == "complete" ? "" : " (\(poll.coverage))"
    let wait = DurationText.format(.seconds(Int((time - now).rounded())))
    log.notice("watching \(rows)\(extent); next poll in \(wait), at \(timestamp(time.rounded()))")
  }

  /// Notes that a poll begins, or that it has ended: with an answer or without.
  func noteAsking(since time: Double?) { state.withLock { $0.status.asking = time } }

  /// Notes what the present poll waits for.
  func note(_ progress: PollProgress?) {
    state.withLock { state in
      state.status.wait = progress.flatMap { progress in
        progress.wait.map {
          SourceStatus.Wait(reason: $0, until: progress.until, isRetry: progress.isRetry)
        }
      }
      if state.status.wait != nil { state.status.connectedSince = nil }
    }
  }

  /// Notes when events of a source that is not polled came.
  func noteEvents(at time: Double) { state.withLock { $0.status.lastEvent = time } }

  /// Notes that something was received and refused.
  func noteRefusal() { state.withLock { $0.status.refused += 1 } }

  /// Notes the end of the source, and the error that ended it; what a poll that was cut short waited for is kept.
  func noteEnd(_ error: (any Error)? = nil) {
    state.withLock { state in
      state.status.hasEnded = true
      state.status.connectedSince = nil
      state.status.nextPoll = nil
      if let error { state.status.error = "\(error)" }
    }
  }
}
