extension Observable {
  /// The elements as an asynchronous sequence, for `for try await`; each loop subscribes when it begins.
  ///
  ///     --a--b--c--|
  ///     --a--b--c--|   for try await letter in letters.values
  ///
  /// At most `capacity` elements wait for the loop; what happens beyond is the `overflow`, as in `observe(on:)`: with
  /// `block` the sender waits, so that a slow loop slows its source down and nothing is lost. A sequence is asked for more
  /// when the loop has taken what was there, in the loop's task, and may be as long as it likes. What another source sends
  /// while the loop subscribes to it cannot wait for the loop: up to 65,536 elements of it are kept, and more is a failure
  /// unless it is sent from elsewhere, as by `subscribe(on: lane)`. A task that sends by a call waits for a second without
  /// progress at most, and then the loop fails with `ReactiveError.standstill`.
  ///
  /// The error of the stream is thrown, after the elements before it. Leaving the loop disposes the subscription, and so
  /// does cancelling its task, where the loop ends without an error, as those over `AsyncStream` and Combine's `values` do.
  /// It ends too when the source has been released without an end.
  /// ```
  /// Observable.from(Observable.from(1...3).values(), on: clock)  // 1, 2, 3, |
  /// ```
  public func values(
    capacity: Int = 1024, overflow: Overflow = .block, counters: MailboxCounters? = nil
  ) -> Values {
    Values(source: self, capacity: capacity, overflow: overflow, counters: counters)
  }

  /// The elements as an asynchronous sequence, of which 1,024 may wait while the sender goes on.
  public var values: Values { values() }

  /// An observable as an asynchronous sequence.
  public struct Values: AsyncSequence, Sendable {
    fileprivate let source: Observable
    fileprivate let capacity: Int
    fileprivate let overflow: Overflow
    fileprivate let counters: MailboxCounters?

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
      let mailbox = PullMailbox<Element>(capacity: capacity, overflow: overflow, counters: counters)
      mailbox.attach(to: source)
      return Iterator(mailbox)
    }

    /// The place of a loop; the subscription ends when it is released.
    public struct Iterator: AsyncIteratorProtocol {
      private final class Lease: Sendable {
        let mailbox: PullMailbox<Element>

        init(_ mailbox: PullMailbox<Element>) {
          self.mailbox = mailbox
        }

        deinit { mailbox.subscription.dispose() }
      }

      private let lease: Lease

      fileprivate init(_ mailbox: PullMailbox<Element>) {
        lease = Lease(mailbox)
      }

      /// Waits for the next element; nil at the end.
      public mutating func next() async throws -> Element? { try await next(isolation: nil) }

      /// Waits for the next element, on the caller’s actor; nil at the end.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
        try await lease.mailbox.next(isolation: actor)
      }
    }
  }
}
