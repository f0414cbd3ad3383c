import Reactive
import Testing

/// A use of an operator, for tests to try the promises on that every operator makes.
///
/// ```
/// let contract = Contract.plain("second") { source, _ in source.element(at: 1) }
/// try contract.breaches(of: .failsOnce)  // []
/// ```
public struct Contract: Sendable, CustomTestStringConvertible {
  /// The name of the operator, and what is special about this use of it.
  package let name: String
  let variant: String
  /// Whether it calls a closure of the user for each element, which may throw.
  package let throwing: Bool
  /// Whether it takes elements from a source; `just` and its like do not.
  package let hasSource: Bool
  /// Whether it keeps its subscription to the source without observers of its own.
  package var staysConnected = false
  /// Whether it holds its source, to subscribe to it again, or something else that goes on.
  package var outlivesSource = false
  /// Whether it listens to its source twice: the first listener gets a batch whole before the second does, so that what
  /// they make of both comes in another order.
  var listensTwice = false
  /// Whether it never ends, whatever its source does.
  var isEndless = false
  package let build:
    @Sendable (_ source: Observable<Int>, _ clock: any Scheduler, _ probe: @escaping Probe) -> Observable<
      String
    >

  /// A call in an operator's closure, so that a test can make it throw, or see whether it is still held.
  public typealias Probe = @Sendable (Int) throws -> Int

  /// The name and the variant.
  public var testDescription: String { variant.isEmpty ? name : "\(name) (\(variant))" }

  /// An operator without a closure that can throw.
  public static func plain<Output: Sendable>(
    _ name: String, _ variant: String = "",
    _ build: @escaping @Sendable (Observable<Int>, any Scheduler) -> Observable<Output>
  ) -> Contract {
    Contract(name: name, variant: variant, throwing: false, hasSource: true) { source, clock, _ in
      build(source, clock).map { "\($0)" }
    }
  }

  /// The same, for one that stays subscribed to its source when its own subscribers have left.
  public var connected: Contract {
    var copy = self
    copy.staysConnected = true
    return copy
  }

  /// The same, for one that is not over when its source is released: it subscribes again, or waits for something else.
  public var lasting: Contract {
    var copy = self
    copy.outlivesSource = true
    return copy
  }

  /// The same, for one that does not end with its source.
  public var endless: Contract {
    var copy = self
    copy.isEndless = true
    return copy
  }

  /// The same, for one that subscribes to its source twice at once.
  public var twice: Contract {
    var copy = self
    copy.listensTwice = true
    return copy
  }

  /// An operator that calls a closure of the user, in which `probe` is called for each element.
  public static func calling<Output: Sendable>(
    _ name: String, _ variant: String = "",
    _ build: @escaping @Sendable (Observable<Int>, any Scheduler, @escaping Probe) -> Observable<Output>
  ) -> Contract {
    Contract(name: name, variant: variant, throwing: true, hasSource: true) { source, clock, probe in
      build(source, clock, probe).map { "\($0)" }
    }
  }

  /// A source.
  public static func source<Output: Sendable>(
    _ name: String, _ variant: String = "", _ build: @escaping @Sendable (any Scheduler) -> Observable<Output>
  ) -> Contract {
    Contract(name: name, variant: variant, throwing: false, hasSource: false) { _, clock, _ in
      build(clock).map { "\($0)" }
    }
  }
}
