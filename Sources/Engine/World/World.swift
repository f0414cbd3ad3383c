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
  /// How long what ends by itself waits for a disk; nil for as long as it takes.
  public var diskPatience: DiskPatience?

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

  /// Pauses until there may be room on a disk again: as `pause` does, but true too when a bounded wait is over.
  public func pauseForDisk(_ seconds: Double, _ stop: StopSign) -> Bool {
    diskPatience?.isOver(for: stop) == true || pause(seconds, stop)
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

/// The patience of runs with a disk that is full: each waits so long, counted from its first pause.
public final class DiskPatience: Sendable {
  /// Pauses further apart belong to two waits.
  private static let gap = Duration.seconds(5)

  private let time: Duration
  private let now: @Sendable () -> Instant
  private let waits = Locked<[ObjectIdentifier: (first: Instant, last: Instant)]>([:])

  public convenience init(_ time: Duration) { self.init(time) { MonotonicClock.now } }

  init(_ time: Duration, now: @escaping @Sendable () -> Instant) {
    (self.time, self.now) = (time, now)
  }

  /// Notes a pause of the run with that sign; whether it has waited long enough.
  func isOver(for stop: StopSign) -> Bool {
    let now = now()
    return waits.withLock { waits in
      var wait = waits[ObjectIdentifier(stop)] ?? (now, now)
      if now - wait.last > Self.gap { wait.first = now }
      wait.last = now
      waits[ObjectIdentifier(stop)] = wait
      return now - wait.first > time
    }
  }
}
