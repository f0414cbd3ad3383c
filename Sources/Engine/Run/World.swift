import Language
import System
import Glibc
import Reactive

/// What a pipeline may ask of the world outside: handed in, so that tests hand in another.
public struct World: Sendable {
  /// The time of day, in seconds since 1970.
  public var wallClock: @Sendable () -> Double
  /// How fast time goes by: `wallClock` and all that waits for a time keep it.
  public var speed = Speed.real
  /// A number from zero up to one.
  public var random: @Sendable () -> Double
  /// A variable of the environment.
  public var environment: @Sendable (String) -> String?
  /// The zone that schedules and times without one are in.
  public var timeZone: String
  /// The files that are written.
  public var disk: any Disk
  /// Waits on the lane until the sign is set or so many seconds are over; whether it is set.
  public var pause: @Sendable (_ seconds: Double, _ stop: StopSign) -> Bool

  private var tools: [ObjectIdentifier: any Sendable] = [:]

  /// What nodes are handed besides, by its type: a way to the network.
  public subscript<Tool: Sendable>(_ type: Tool.Type) -> Tool? {
    get { tools[ObjectIdentifier(type)] as? Tool }
    set { tools[ObjectIdentifier(type)] = newValue }
  }

  public init(
    wallClock: @escaping @Sendable () -> Double, random: @escaping @Sendable () -> Double,
    environment: @escaping @Sendable (String) -> String?, timeZone: String = "UTC",
    disk: any Disk = SystemDisk(),
    pause: @escaping @Sendable (_ seconds: Double, _ stop: StopSign) -> Bool = { $1.wait(seconds: $0) }
  ) {
    self.wallClock = wallClock
    self.random = random
    self.environment = environment
    self.timeZone = timeZone
    self.disk = disk
    self.pause = pause
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
