import Delivery
import Language
import System

/// The options of the `redis` source and sink that say how to connect.
enum RedisOptions {
  static let server = Option(
    "server",
    .server(
      ServerAddress.Scheme("redis", 6379, secure: "rediss", 6379), of: "a Redis server",
      flaw: {
        $0.path.isEmpty || UInt16($0.path) != nil ? nil : "\(quoted($0.path)) is not the number of a database"
      }), default: "redis://127.0.0.1:6379",
    "the server: `redis://HOST:PORT/DATABASE`, or `rediss://` with TLS; port and database may be left out",
    example: "rediss://redis.example.org/2")
  static let user = Option.optional("user", .text, "the user name", example: "flow")
  static let password = Option.optional("password", .secret, "the password", example: "${REDIS_PASSWORD}")

  static let list = AnyOption.list(server, user, password, TLSOptions.tls)

  static let details = """
    Redis 6.2 and newer, Valkey, and what else speaks RESP2 will do, with TLS and a login by user and password; nodes of a \
    Redis Cluster that send to others (MOVED) will not.
    """

  static func check(_ options: Options, _ checker: Checker) {
    ServerLogin.check(options, server: server, user: user, password: password, needsUser: false, checker)
    if options.isGiven(user), !options.isGiven(password) {
      checker.report("a user needs a password", at: options.place(of: user), hint: "add password: SECRET")
    }
  }

  static func settings(_ options: Options) -> RedisSettings {
    let server = options[server]
    return RedisSettings(
      server: server, user: options[user] ?? server.user, password: options[password] ?? server.password,
      tls: TLSOptions.files(options), database: Int(server.path) ?? 0)
  }
}

/// The id of an entry in a stream: a time in milliseconds, as a rule, and a number.
struct RedisID: Comparable, Sendable, CustomStringConvertible {
  var time: UInt64
  var number: UInt64

  static let zero = RedisID(time: 0, number: 0)

  init(time: UInt64, number: UInt64) { (self.time, self.number) = (time, number) }

  /// Nil where the text is no id; the number may be left out.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count <= 2, let time = UInt64(parts[0]) else { return nil }
    guard let number = parts.count == 2 ? UInt64(parts[1]) : 0 else { return nil }
    self.init(time: time, number: number)
  }

  var description: String { "\(time)-\(number)" }

  static func < (one: RedisID, other: RedisID) -> Bool {
    (one.time, one.number) < (other.time, other.number)
  }
}
