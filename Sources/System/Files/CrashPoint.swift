#if CRASH_POINTS
  import Glibc
  import Synchronization
#endif

/// A crash point: a named place between two writes where a test can kill the process, after half of a write if asked.
///
/// It compiles to nothing except in a build with `CRASH_POINTS`. There `FLOW_CRASH_AT=name:3` kills at the third pass of
/// that name, and each name that is passed is written to the file `FLOW_CRASH_SEEN`.
@inlinable @inline(__always)
public func crashPoint(_ name: StaticString, doing half: () -> Void = {}) {
  #if CRASH_POINTS
    if CrashPoints.isDue(name) {
      half()
      CrashPoints.end()
    }
  #endif
}

#if CRASH_POINTS
  @usableFromInline
  package enum CrashPoints {
    private static let passes = Mutex<[String: Int]>([:])

    /// The name to kill at, and at which pass.
    private static let aim: (name: String, number: Int)? = {
      guard let text = getenv("FLOW_CRASH_AT").map({ String(cString: $0) }),
        let colon = text.lastIndex(of: ":"), let number = Int(text[text.index(after: colon)...])
      else { return nil }
      return (String(text[..<colon]), number)
    }()

    /// The file for the names that are passed; -1 if none is set.
    private static let seen: Int32 =
      getenv("FLOW_CRASH_SEEN").map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) } ?? -1

    @usableFromInline
    package static func isDue(_ name: StaticString) -> Bool {
      let name = "\(name)"
      let count = passes.withLock { passes in
        passes[name, default: 0] += 1
        return passes[name] ?? 0
      }
      if count == 1, seen >= 0 {
        let line = Array("\(name)\n".utf8)
        _ = write(seen, line, line.count)
      }
      return aim.map { $0.name == name && $0.number == count } ?? false
    }

    @usableFromInline
    package static func end() { kill(getpid(), SIGKILL) }
  }
#endif
