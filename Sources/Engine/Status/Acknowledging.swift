// What is repeated until it is acknowledged, and its acknowledgement, for `flow ack`.

extension PipelineRun {
  /// Calls `receive` with what is repeated until it is acknowledged; on the lane, so never where that hangs.
  public func reportUnacknowledged(to receive: @escaping @Sendable ([Unacknowledged]) -> Void) {
    lane.scheduler.perform { [self] in receive(sinks.flatMap { named($0.unacknowledged, $0.name) }) }
  }

  /// Acknowledges keys; `receive` is called with those that were repeated, once that is committed.
  ///
  /// With nil where it could not be committed.
  public func acknowledge(
    _ keys: Set<String>, to receive: @escaping @Sendable ([Unacknowledged]?) -> Void
  ) {
    lane.scheduler.perform { [self] in
      if lane.hasEnded { return receive([]) }
      if let checkpointer = lane.checkpointer, checkpointer.isRegenerating {
        return checkpointer.postpone { [self] in acknowledge(keys, to: receive) }
      }
      lane.turn {
        let found = sinks.flatMap { sink in named(sink.acknowledge(keys), sink.name) }
        lane.add(Acknowledgement { receive($0 ? found : nil) })
      }
    }
  }

  private func named(_ entries: [Unacknowledged], _ sink: String) -> [Unacknowledged] {
    entries.map { entry in
      var entry = entry
      (entry.pipeline, entry.sink) = (plan.name, sink)
      return entry
    }
  }
}
