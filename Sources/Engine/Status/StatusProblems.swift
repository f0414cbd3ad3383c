import Language

/// The problems of a pipeline, a sentence each: `flow status` exits with 1 and `/readyz` fails where there is any.
extension PipelineStatus {
  public var problems: [String] { problems(.absolute) }

  public func problems(_ times: StatusTimes) -> [String] {
    var problems: [String] = []
    switch phase {
    case .waiting: problems.append("it waits for room for its state")
    case .failed: problems.append(error.map { "it failed: \($0)" } ?? "it failed")
    case .running, .stopping, .completed, .stopped: break
    }
    if let standstill, !nodes.contains(where: { $0.name == standstill.node && $0.wait?.isFailing == true }) {
      problems.append(standstill.text(times))
    } else if !isResponsive, standstill == nil {
      problems.append("it has not answered in time")
    }
    for source in sources {
      if let entries = source.entries, !entries.failing.isEmpty || entries.stale > 0 {
        problems.append("\(source.name): \(entries.summary)")
      }
      // The list itself may fail beside its entries.
      if let failure = source.failure, failure.reason != source.entries?.summary {
        problems.append(
          "\(source.name) fails \(times.since(failure.since)) (\(failure.reason))\(source.shown(times))")
      } else if let since = source.asking, let wait = source.wait, wait.isRetry, source.entries == nil {
        problems.append(
          "\(source.name) has had no answer \(times.since(since)) (\(wait.reason))\(source.shown(times))")
      } else if source.lastPoll?.isStale == true, source.entries == nil {
        problems.append("\(source.name) is stale: the service failed, and its last good response is used")
      }
      if let age = source.age(times) { problems.append(age) }
      if let error = source.error, source.failure == nil, error != self.error {
        problems.append("\(source.name) ended: \(error)")
      }
    }
    for node in nodes {
      if let wait = node.wait, wait.isFailing {
        problems.append("\(node.name): \(wait.text(isOver: phase.isOver, times))")
      }
      if let failing = node.failing, failing.isLoss {
        problems.append("\(node.name) \(failing.text)")
      }
      if let count = node.deadLetters, count > 0 {
        problems.append(
          "\(node.name) has \(count) dead letter\(count == 1 ? "" : "s"): flow state dead ls \(name)")
      }
    }
    return problems
  }

  /// The losses of a run, a phrase each: events that failed, deliveries that were given up, all polls of a source.
  ///
  /// A run that ended by itself has failed where there is any.
  public var losses: [String] {
    let failed = sources.filter { $0.isPolled && $0.polls > 0 && $0.failedPolls == $0.polls }
    let polls = failed.map { source in
      source.polls == 1
        ? "the poll of \(source.name) failed" : "all \(source.polls) polls of \(source.name) failed"
    }
    return polls + unanswered + lostEvents
  }

  /// The sources whose first poll was still waiting when the run ended, a phrase each.
  public var unanswered: [String] {
    sources.compactMap { source in
      guard source.polls == 0, source.hasEnded, let wait = source.wait else { return nil }
      return "\(source.name) has had no answer: \(wait.reason) \(StatusTimes.absolute.at(wait.until))"
    }
  }

  /// The losses so far, also while it runs: a failed poll is repeated.
  public var lostEvents: [String] {
    var losses: [String] = []
    for node in nodes {
      if node.givenUp > 0 {
        let what = node.role == .step ? ("lookup", "lookups") : ("delivery", "deliveries")
        losses.append(
          "\(node.givenUp) \(node.givenUp == 1 ? what.0 : what.1) of \(node.name) given up")
      } else if let taken = node.eventsIn, taken > 0, node.errors >= taken,
        node.role == .step || node.eventsOut == 0
      {
        losses.append(
          taken == 1 ? "the only event of \(node.name) failed" : "all \(taken) events of \(node.name) failed")
      } else if node.lost > 0 {
        losses.append("\(node.lost) event\(node.lost == 1 ? "" : "s") of \(node.name) failed")
      }
    }
    return losses
  }
}

extension [String] {
  /// The first three phrases of a line, and the number of the others: of thousands of sources each may have one.
  package func shortened(by separator: String) -> String {
    let others = count > 4 ? ["and \(count - 3) more"] : []
    return (prefix(others.isEmpty ? 4 : 3) + others).joined(separator: separator)
  }
}
