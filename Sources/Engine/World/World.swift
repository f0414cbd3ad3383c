import Language
import System
import Glibc
import Reactive

/// The environment of a pipeline, passed in so that tests pass another: clock, random numbers, variables, disk.
public struct World: Sendable {
  /// The time of day, in seconds since 1970.
  public var wallClock: @Sendable () -> Double
  /// Whether the time of day is never set and the machine never sleeps, as in virtual time.
  public var isSteady = false
  /// The speed of time, for `wallClock` and for all waiting.
  public var speed = Speed.real
  /// A number from zero up to one.
  public var random: @Sendable () -> Double
  /// Reads an environment variable.
  public var environment: @Sendable (String) -> String?
  /// The disk that files are written to.
  public var disk: any Disk
  /// Waits on the lane until the sign is set or the time is over; returns whether it is set.
  public var pause: @Sendable (_ seconds: Double, _ stop: StopSign) -> Bool

  private var tools: [ObjectIdentifier: any Sendable] = [:]

  /// A tool for nodes, by its type, such as the network.
  public subscript<Tool: Sendable>(_ type: Tool.Type) -> Tool? {
    get { tools[ObjectIdentifier(type)] as? Tool }
    set { tools[ObjectIdentifier(type)] = newValue }
  }

  public init(
    wallClock: @escaping @Sendable () -> Double, random: @escaping @Sendable () -> Double,
    environment: @escaping @Sendable (String) -> String?,
    disk: any Disk = SystemDisk(),
    pause: @escaping @Sendable (_ seconds: Double, _ stop: StopSign) -> Bool = { $1.wait(seconds: $0) }
  ) {
    self.wallClock = wallClock
    self.random = random
    self.environment = environment
    self.disk = disk
    self.pause = pause
  }

  /// Ends a run that has paused so many seconds in all, for room on a disk say, as if it were stopped.
  public mutating func boundPauses(to seconds: Double) {
    let total = Locked(0.0)
    pause = { [pause] time, stop in
      let isOver = total.withLock { total in
        total += time
        return total > seconds
      }
      return isOver || pause(time, stop)
    }
  }

  /// The real environment.
  public static let real = World(
    wallClock: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    },
    random: { Double.random(in: 0..<1) },
    environment: { name in getenv(name).map { String(cString: $0) } })
}
