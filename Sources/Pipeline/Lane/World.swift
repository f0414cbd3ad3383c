import Glibc

/// What a pipeline may ask of the world outside: handed in, so that tests hand in another.
public struct World: Sendable {
  /// The time of day, in seconds since 1970.
  public var wallClock: @Sendable () -> Double
  /// A number from zero up to one.
  public var random: @Sendable () -> Double
  /// A variable of the environment.
  public var environment: @Sendable (String) -> String?
  /// The zone that schedules and times without one are in.
  public var timeZone: String
  /// Waits so many seconds, or until the sign is set; whether it is.
  public var pause: @Sendable (_ seconds: Double, _ stop: StopSign) -> Bool = { seconds, stop in
    stop.wait(seconds: seconds)
  }

  public init(
    wallClock: @escaping @Sendable () -> Double, random: @escaping @Sendable () -> Double,
    environment: @escaping @Sendable (String) -> String?, timeZone: String = "UTC"
  ) {
    self.wallClock = wallClock
    self.random = random
    self.environment = environment
    self.timeZone = timeZone
  }

  /// The world as it is.
  public static let real = World(
    wallClock: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    },
    random: { Double.random(in: 0..<1) },
    environment: { name in getenv(name).map { String(cString: $0) } })
}
