import Language
import System
import Synchronization

/// The messages of a pipeline to the person who runs it, besides its output.
public final class Log: Sendable {
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    case error, warning, notice, detail

    public var name: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .notice: "notice"
      case .detail: "detail"
      }
    }

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// One message: what, of which pipeline and node.
  public struct Entry: Sendable {
    public var level: Level
    public var pipeline: String
    public var node: String
    public var message: String
    /// More lines, as an excerpt with carets.
    public var details: [String] = []
    /// Whether it is about the outcome of polls, of which the source `errors` has events of its own.
    public var isAboutPolls = false
  }

  private let level: Level
  private let sink: @Sendable (Entry) -> Void

  /// Hands each entry of that level or a graver one to `sink`, from any thread.
  public init(level: Level = .notice, _ sink: @escaping @Sendable (Entry) -> Void) {
    self.level = level
    self.sink = sink
  }

  /// The same log, with entries that `relay` writes when it chooses.
  func relayed(by relay: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) -> Log {
    Log(level: level) { [sink] entry in relay { sink(entry) } }
  }

  /// A log that is discarded.
  public static let silent = Log { _ in }

  public func write(_ entry: @autoclosure () -> Entry, _ level: Level) {
    if level <= self.level { sink(entry()) }
  }
}

/// The log as one node of one pipeline writes it.
public struct NodeLog: Sendable {
  public let log: Log
  let pipeline: String
  public let node: String
  private var isAboutPolls = false

  public init(log: Log, pipeline: String, node: String) {
    self.log = log
    self.pipeline = pipeline
    self.node = node
  }

  public func error(_ message: String, details: [String] = []) { write(.error, message, details) }
  public func warning(_ message: String) { write(.warning, message) }
  public func notice(_ message: String) { write(.notice, message) }
  public func detail(_ message: @autoclosure () -> String) { write(.detail, message()) }

  private func write(_ level: Log.Level, _ message: @autoclosure () -> String, _ details: [String] = []) {
    log.write(
      Log.Entry(
        level: level, pipeline: pipeline, node: node, message: message(), details: details,
        isAboutPolls: isAboutPolls), level)
  }

  /// The log of the results of a source's polls.
  var ofPolls: NodeLog {
    var log = self
    log.isAboutPolls = true
    return log
  }
}
