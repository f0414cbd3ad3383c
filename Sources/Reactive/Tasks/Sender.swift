/// A task of this module that sends, and must not hold a thread while a mailbox is full.
///
/// The mailbox takes its element over the limit and is noted here; when the call has returned, the task waits for room in it,
/// suspended, before it sends the next one.
final class Sender: Sendable {
  @TaskLocal private static var current: Sender?

  /// The task itself: others inherit the task-local value.
  private let task: Int?
  private let lenders = Locked<[any Lender]>([])
  /// The one whose work a thread does that is not its task's.
  private let principal: Sender?

  /// Makes the calling task one, or a thread that does the work of another one.
  private init(for principal: Sender? = nil) {
    task = Self.callingTask
    self.principal = principal
  }

  private static var callingTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// The sender whose task is calling.
  static var calling: Sender? {
    guard let current, current.task == callingTask else { return nil }
    return current
  }

  /// Runs `work` with the calling task as a sender.
  static func run(_ work: (Sender) async -> Void) async {
    let sender = Sender()
    await $current.withValue(sender) { await work(sender) }
  }

  /// Notes that an element is in a mailbox over its limit.
  func owe(to lender: any Lender) {
    (principal ?? self).lenders.withLock { $0.append(lender) }
  }

  /// Carries `work`, which sends, out in its turn, and waits until there is room where there was none.
  ///
  /// A thread that is in the serializer already does it for this task, and may be one that must not wait: the one that
  /// subscribes, say, if it is a task of the user.
  func send(through serializer: DrainLoop, _ work: @escaping @Sendable () -> Void) async {
    if serializer.enter() {
      work()
      serializer.leave()
    } else {
      await pause { done in
        serializer.later { [self] in
          Self.$current.withValue(Sender(for: self), operation: work)
          done.goOn()
        }
      }
    }
    await settle()
  }

  /// Waits until there is room where there was none.
  func settle() async {
    while let lender = lenders.withLock({ $0.popLast() }) {
      await pause { lender.whenRoom($0) }
    }
  }

  /// Suspends until what `wait` is given goes on, or the task is cancelled.
  func pause(_ wait: (any Pausing) -> Void) async {
    let pause = Subscription()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pause.onDispose { continuation.resume() }
        wait(pause)
      }
    } onCancel: {
      pause.dispose()
    }
  }
}

/// The pause of a task is a subscription of its own: it goes on when that ends.
extension Subscription: Pausing {
  func goOn() { dispose() }
}

/// A mailbox that takes an element over its limit from a task that waits afterwards.
protocol Lender: AnyObject, Sendable {
  /// Lets `task` go on once there is room.
  func whenRoom(_ task: any Pausing)
}
