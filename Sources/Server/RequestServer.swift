import CMicrohttpd
import Glibc
import Reactive

/// The part of a server that answers requests; `RequestServer` calls it.
package protocol RequestFront: AnyObject, Sendable {
  /// The time limit for requests to arrive.
  var arrivals: ArrivalLimit { get }
  /// The longest body that is accepted.
  var bodyLimit: Int { get }
  /// Answers a request that has arrived whole, or suspends its connection: then it is called again once that is resumed.
  func answer(_ connection: OpaquePointer, _ path: String, _ method: String, _ body: ReceivedBody)
    -> MHD_Result
  /// Called once a request is over: answered, or its connection lost.
  func requestEnded(_ body: ReceivedBody)
}

extension RequestFront {
  package func requestEnded(_ body: ReceivedBody) {}
}

/// Whether two texts are equal, in a time that does not depend on where they differ.
package func isEqualInConstantTime(_ text: String, _ other: String) -> Bool {
  let (first, second) = (Array(text.utf8), Array(other.utf8))
  guard first.count == second.count else { return false }
  return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

/// The body of a request while it arrives.
///
/// The rest of one that is too long is read and dropped before the answer: a server that closes a connection with unread
/// data resets it, and the client may lose the answer (RFC 9112, 9.6).
package final class ReceivedBody {
  /// A body longer than this is not read to its end.
  private static let drainLimit = 64 << 20

  private let limit: Int
  private var count = 0
  package private(set) var bytes: [UInt8] = []
  /// An object of the front's own, for a request that is answered later.
  package var attachment: AnyObject?

  init(limit: Int) { self.limit = limit }

  package var isTooLong: Bool { count > limit }

  /// Adds a part; false to close the connection.
  fileprivate func add(_ part: UnsafeRawBufferPointer) -> Bool {
    count += part.count
    if isTooLong { bytes = [] } else { bytes += part }
    return count <= Self.drainLimit
  }
}

/// A running server: a listening socket whose requests a front answers.
package final class RequestServer: Sendable {
  package enum Threads: Sendable {
    /// A thread for each connection: answers may block.
    case perConnection
    /// One thread for all, which sleeps while there are no requests; `memory` is for the headers of a connection.
    case one(memory: Int)
  }

  /// The context of the library's callbacks, which outlives the server.
  private final class Context: Sendable {
    let front: any RequestFront
    init(_ front: any RequestFront) { self.front = front }
  }

  private let context: Context
  private let socket: ListeningSocket
  /// The library's server; 0 once it has stopped.
  private let daemon = Locked<UInt>(0)

  /// Loads the library; without it there is no server.
  package static func load() throws(ListeningSocket.Failure) {
    if let problem = flow_mhd_load() { throw ListeningSocket.Failure(description: String(cString: problem)) }
  }

  /// Starts to serve; the socket is the server's from then on.
  ///
  /// A connection may be idle for `idle` seconds.
  package init(
    _ front: any RequestFront, on socket: ListeningSocket, _ threads: Threads, connections: Int, idle: UInt32
  ) throws(ListeningSocket.Failure) {
    self.socket = socket
    context = Context(front)
    let pointer = Unmanaged.passUnretained(context).toOpaque()
    let started: OpaquePointer? =
      switch threads {
      case .perConnection:
        flow_mhd_start(
          socket.descriptor, UInt32(connections), idle, answerRequest, endRequest, noteConnection, pointer)
      case .one(let memory):
        flow_mhd_start_polling(
          socket.descriptor, UInt32(connections), idle, memory, answerRequest, endRequest, noteConnection,
          pointer)
      }
    guard let started else {
      let reason = errno
      socket.close()
      throw ListeningSocket.Failure(
        description: "the server cannot be started: \(String(cString: strerror(reason)))")
    }
    daemon.withLock { $0 = UInt(bitPattern: started) }
  }

  deinit { stop() }

  /// Closes connections and waits for answers in progress.
  ///
  /// No connection may be suspended.
  package func stop() {
    let running = daemon.withLock { daemon in
      defer { daemon = 0 }
      return OpaquePointer(bitPattern: daemon)
    }
    guard let running else { return }
    flow_mhd_stop(running)
    socket.removePath()
  }

  fileprivate static func front(_ context: UnsafeMutableRawPointer) -> any RequestFront {
    Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().front
  }
}

/// The library calls this for each request: first without a body, then for each part of it, then for the answer.
private func answerRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ part: UnsafePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let path, let method, let size, let own else { return .NO }
  let front = RequestServer.front(context)
  guard let known = own.pointee else {
    own.pointee = Unmanaged.passRetained(ReceivedBody(limit: front.bodyLimit)).toOpaque()
    return .YES
  }
  let body = Unmanaged<ReceivedBody>.fromOpaque(known).takeUnretainedValue()
  if size.pointee > 0 {
    let isRead = body.add(UnsafeRawBufferPointer(start: part, count: size.pointee))
    size.pointee = 0
    return isRead ? .YES : .NO
  }
  front.arrivals.end(flow_mhd_descriptor(connection))
  return front.answer(connection, String(cString: path), String(cString: method), body)
}

/// The library calls this at the end of a request.
private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_RequestTerminationCode
) {
  guard let own, let known = own.pointee else { return }
  own.pointee = nil
  let body = Unmanaged<ReceivedBody>.fromOpaque(known).takeRetainedValue()
  guard let context, let connection else { return }
  let front = RequestServer.front(context)
  front.arrivals.begin(flow_mhd_descriptor(connection))
  front.requestEnded(body)
}

/// The library calls this when a connection was accepted, and before it is closed.
private func noteConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
  guard let context, let connection else { return }
  RequestServer.front(context).arrivals.note(connection, what)
}
