import Language
import System
/// What one node has done so far, as the table of statistics shows it; nil where a column means nothing for it.
public struct NodeStatistics: Sendable {
  public let name: String
  public let kind: String
  public let eventsIn: Int?
  public let eventsOut: Int?
  public let dropped: Int
  public let errors: Int
  public let seconds: Double?
}

extension PipelineRun {
  /// Of all nodes, in the order of their way: may be asked at any time, from any thread.
  public var statistics: [NodeStatistics] {
    let sourceCount = plan.sources.count
    return meters.enumerated().map { index, meter in
      let isSource = index < sourceCount
      return NodeStatistics(
        name: meter.name, kind: meter.kind, eventsIn: isSource ? nil : meter.eventsIn,
        eventsOut: meter.eventsOut, dropped: meter.eventsDropped + (isSource ? droppedDeliveries(index) : 0),
        errors: meter.errors, seconds: isSource ? nil : meter.seconds)
    }
  }
}
