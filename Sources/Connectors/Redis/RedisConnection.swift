import Decode
import Delivery
import Fetch
import Language
import Reactive
import System

/// The settings of a connection to a Redis server.
struct RedisSettings: Sendable {
  var server: ServerAddress
  var user: String?
  var password: String?
  var tls: TLSFiles?
  /// The number of the database.
  var database = 0
  /// The largest answer.
  var mostBytes = 512 << 20
}

/// Why a connection to a Redis server failed, or what it says of a command.
struct RedisError: LinkError, CustomStringConvertible {
  let description: String
  var mayPass = true
}

/// A connection to a Redis server, or one that speaks its protocol; one thread uses it.
///
/// Commands are sent together, and answered in their order.
final class RedisConnection {
  /// How long the server may take for a command by itself.
  static let longestAnswer = Duration.seconds(15)

  private let socket: CurlConnection
  private let settings: RedisSettings
  private let stop: StopSign
  private var reader: RESPReader
  private var output: [UInt8] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  /// Connects, logs in and takes the database.
  init(_ settings: RedisSettings, _ stop: StopSign, _ meanwhile: () -> Void = {}) throws(RedisError) {
    (self.settings, self.stop) = (settings, stop)
    reader = RESPReader(limit: settings.mostBytes)
    var address = CurlConnection.Settings(host: settings.server.host, port: settings.server.port)
    address.isSecure = settings.server.isSecure
    (address.authorities, address.certificate) = (settings.tls?.authorities, settings.tls?.certificate)
    (address.key, address.skipsVerification) = (settings.tls?.key, settings.tls?.skipsVerification ?? false)
    do throws(CurlConnection.Failure) {
      socket = try CurlConnection(address, stop: stop, meanwhile: meanwhile)
    } catch {
      throw RedisError(description: "\(settings.server): \(error)", mayPass: error.mayPass)
    }
    if let password = settings.password {
      try greet(["AUTH"] + (settings.user.map { [$0] } ?? []) + [password])
    }
    if settings.database != 0 { try greet(["SELECT", "\(settings.database)"]) }
    // A server that wants a login says so now, and one that is still loading.
    try greet(["PING"])
  }

  deinit { buffer.deallocate() }

  private func greet(_ command: [String]) throws(RedisError) {
    if case .error(let text) = try call(command) { throw refusal(text) }
  }

  /// An error of the server, as one of the connection.
  func refusal(_ text: String) -> RedisError {
    RedisError(
      description: "\(settings.server): \(printable(text))", mayPass: RedisConnection.mayPass(text))
  }

  /// Whether what the server says may be over later, without a change of settings or data.
  static func mayPass(_ text: String) -> Bool {
    let words = [
      "LOADING", "OOM", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "MISCONF", "NOREPLICAS",
    ]
    return words.contains(String(text.prefix { $0 != " " })) || text.hasPrefix("ERR max number of clients")
  }

  // MARK: - Commands

  /// Adds a command to those that the next turn sends.
  func add(_ command: [[UInt8]]) { output += respCommand(command) }
  func add(_ command: [String]) { add(command.map { Array($0.utf8) }) }

  /// Sends a command, and waits for its answer; no other may be under way.
  func call(_ command: [String], within time: Duration = longestAnswer) throws(RedisError) -> RESPValue {
    try call(command.map { Array($0.utf8) }, within: time)
  }

  func call(_ command: [[UInt8]], within time: Duration = longestAnswer) throws(RedisError) -> RESPValue {
    add(command)
    let deadline = MonotonicClock.now + time
    while true {
      if let value = try turn(until: min(deadline, MonotonicClock.now + .seconds(1))) { return value }
      if stop.isSet { throw RedisError(description: "the run ends") }
      if MonotonicClock.now >= deadline {
        throw RedisError(description: "\(settings.server): no answer within \(Int(time.inSeconds)) s")
      }
    }
  }

  /// Sends what was added, and waits until an answer has come, a time, or a descriptor that is readable; the next answer.
  func turn(until deadline: Instant, wake: Int32 = -1) throws(RedisError) -> RESPValue? {
    do {
      if !output.isEmpty {
        try socket.send(output, until: MonotonicClock.now + Self.longestAnswer)
        output.removeAll(keepingCapacity: true)
      }
      while true {
        if let value = reader.next() { return value }
        if let count = try socket.receive(into: buffer) {
          try reader.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          continue
        }
        let ready = awaitDescriptors(
          [.input(socket.descriptor), .input(stop.descriptor), .input(wake)], until: deadline)
        if !ready[0] { return nil }
      }
    } catch {
      throw RedisError(description: "\(settings.server): \(error)")
    }
  }
}
