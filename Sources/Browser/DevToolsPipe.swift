import Fetch
import Glibc
import JSON
import Reactive
import System

/// The messages in a stream of bytes, each ended by a zero byte.
struct MessageFraming {
  private var rest: [UInt8] = []

  mutating func take(_ bytes: UnsafeRawBufferPointer, _ each: ([UInt8]) -> Void) {
    var bytes = bytes[...]
    while let end = bytes.firstIndex(of: 0) {
      rest += bytes[..<end]
      if !rest.isEmpty { each(rest) }
      rest.removeAll(keepingCapacity: rest.count < 1 << 20)
      bytes = bytes[(end + 1)...]
    }
    rest += bytes
  }

  /// The number of bytes of the message that is not complete.
  var pending: Int { rest.count }
}

/// The messages for one reader of a pipe, such as a page, until its end.
final class Inbox: Sendable {
  private struct State: Sendable {
    var messages = Queue<Value>()
    var end: TransferError?
  }

  private let state = ConditionLock(State())

  func put(_ message: Value) { state.change { $0.messages.append(message) } }

  /// Ends it: what has arrived before is not read any more.
  func close(_ error: TransferError) { state.change { $0.end = $0.end ?? error } }

  /// The error that it was closed with.
  var end: TransferError? { state.change { $0.end } }

  /// The next message; nil where none comes in time.
  func next(until deadline: Instant) throws(TransferError) -> Value? {
    let next = state.wait(until: deadline, quietly: true) { state -> Result<Value, TransferError>? in
      if let end = state.end { return .failure(end) }
      return state.messages.popFirst().map { .success($0) }
    }
    return try next?.get()
  }
}

/// The two pipes to a browser: commands as JSON on its descriptor 3, answers and events on its descriptor 4.
///
/// Messages go to the inbox of their session, or of their browser context.
final class DevToolsPipe: Sendable {
  private struct State: Sendable {
    var last = 0
    /// By session, by context, and by the number of a command that has no session.
    var inboxes: [String: Inbox] = [:]
    var commands: [Int: Inbox] = [:]
  }

  /// The longest message: a body in base64, say.
  private static let longest = 512 << 20
  /// How long the browser may leave commands in the pipe.
  private static let patience = Duration.seconds(10)

  private let writing: Int32
  private let reading: Int32
  private let writer = Locked(true)
  private let state = Locked(State())

  /// Takes over this side's ends.
  init(writing: Int32, reading: Int32) {
    (self.writing, self.reading) = (writing, reading)
    for number in [writing, reading] { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
  }

  deinit {
    hangUp()
    Glibc.close(reading)
  }

  /// Closes the way to the browser, which ends with that.
  func hangUp() {
    writer.withLock { isOpen in
      if isOpen { Glibc.close(writing) }
      isOpen = false
    }
  }

  /// Has messages of a session or a context put into a inbox; nil for none.
  func route(_ name: String, to inbox: Inbox?) { state.withLock { $0.inboxes[name] = inbox } }

  /// Sends a command and returns its number, under which the answer comes to the inbox.
  @discardableResult
  func send(
    _ method: String, _ parameters: [(String, Value)], session: String?, for inbox: Inbox?
  ) throws(TransferError) -> Int {
    let number = state.withLock { state in
      state.last += 1
      if session == nil, let inbox { state.commands[state.last] = inbox }
      return state.last
    }
    var message: [(String, Value)] = [
      ("id", .number(number)), ("method", .string(method)), ("params", .record(parameters)),
    ]
    if let session { message.append(("sessionId", .string(session))) }
    let bytes = Value.record(message).json + [0]
    guard write(bytes) else { throw TransferError(.interrupted, "the browser takes no commands") }
    return number
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    withoutPipeSignal {
      writer.withLock { isOpen in
        var rest = bytes[...]
        while isOpen, !rest.isEmpty {
          let count = rest.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
          if count > 0 {
            rest = rest.dropFirst(count)
          } else if errno == EAGAIN {
            guard awaitDescriptors([.output(writing)], for: Self.patience)[0] else { return false }
          } else if errno != EINTR {
            return false
          }
        }
        return isOpen
      }
    }
  }

  /// Reads until the browser has gone, on the calling thread; `tick` is called at least as often as its result says,
  /// and ends the reading by nil.
  func read(tick: () -> Duration?) {
    var framing = MessageFraming()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var deadline = MonotonicClock.now
    while true {
      if MonotonicClock.now >= deadline {
        guard let time = tick() else { return }
        deadline = MonotonicClock.now + time
      }
      guard awaitDescriptors([.input(reading)], until: deadline)[0] else { continue }
      let count = Glibc.read(reading, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return }
      framing.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { bytes in
        if let message = try? Value.parse(bytes) { deliver(message) }
      }
      if framing.pending > Self.longest { return }
    }
  }

  private func deliver(_ message: Value) {
    let session = message.member("sessionId")?.string
    let parameters = message.member("params")
    let inbox = state.withLock { state -> Inbox? in
      if let session { return state.inboxes[session] }
      if let number = message.member("id")?.double.flatMap({ Int(exactly: $0) }) {
        return state.commands.removeValue(forKey: number)
      }
      let context = parameters?.member("targetInfo")?.member("browserContextId")?.string
      return (context ?? parameters?.member("sessionId")?.string).flatMap { state.inboxes[$0] }
    }
    inbox?.put(message)
  }

  /// Ends all inboxes.
  func close(_ error: TransferError) {
    let all = state.withLock { state in
      defer { (state.inboxes, state.commands) = ([:], [:]) }
      return Array(state.inboxes.values) + Array(state.commands.values)
    }
    for inbox in all { inbox.close(error) }
  }
}
