import Reactive

/// A sink that repeats its output until a person acknowledges it.
public protocol RepeatingSink: Sink {
  /// The notifications that are repeated, the oldest first.
  var unacknowledged: [Unacknowledged] { get }
  /// Ends the repetition of a key; nil where nothing with it is repeated.
  func acknowledge(_ key: String) throws -> Unacknowledged?
}

/// An output that is repeated until it is acknowledged.
public struct Unacknowledged: Sendable, Equatable {
  public var pipeline = ""
  public var sink = ""
  public let key: String
  public let title: String
  /// When it was first sent, in seconds since 1970.
  public let since: Double
  /// How often it was sent.
  public let count: Int

  public init(key: String, title: String, since: Double, count: Int) {
    (self.key, self.title, self.since, self.count) = (key, title, since, count)
  }
}

extension PipelineRun {
  /// Calls `receive` with what is repeated until it is acknowledged; on the lane, so never where that hangs.
  public func reportUnacknowledged(to receive: @escaping @Sendable ([Unacknowledged]) -> Void) {
    lane.scheduler.perform { [self] in receive(sinks.flatMap { named($0.unacknowledged, $0.name) }) }
  }

  /// Acknowledges keys; `receive` is called with those that were repeated, once that is committed.
  ///
  /// With nil where it could not be committed.
  public func acknowledge(
    _ keys: [String], to receive: @escaping @Sendable ([Unacknowledged]?) -> Void
  ) {
    lane.scheduler.perform { [self] in
      if lane.hasEnded { return receive([]) }
      if let checkpointer = lane.checkpointer, checkpointer.isRegenerating {
        return checkpointer.postpone { [self] in acknowledge(keys, to: receive) }
      }
      lane.turn {
        let found = sinks.flatMap { sink in named(keys.compactMap(sink.acknowledge), sink.name) }
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
