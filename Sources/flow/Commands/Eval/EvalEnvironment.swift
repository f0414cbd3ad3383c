import Glibc
import JSON
import System

/// The environment of a filter in `flow eval`: everything that jq gives its programs.
enum EvalEnvironment {
  static func make(_ options: EvalOptions, _ input: EvalInput, _ output: EvalOutput) -> Environment {
    var environment = Environment()
    options.named.forEachMember { key, value in
      if let name = key.string { environment.variables[name] = value }
    }
    environment.variables["ARGS"] = .object(
      Shape(["positional", "named"]), [.array(options.positional), options.named])
    environment.processEnvironment = processEnvironment
    environment.now = now
    environment.timeZone = Terminal.environment("TZ") ?? "/etc/localtime"
    environment.nextInput = input.nextValue
    environment.inputFileName = { input.fileName }
    environment.inputLineNumber = { input.line }
    environment.debug = { value in
      output.flush()
      Terminal.passOn("[\"DEBUG:\",\(value)]\n")
    }
    environment.standardError = { value in
      output.flush()
      Terminal.passOn(value.string ?? value.description)
    }
    environment.budget.memory = options.maxMemory.map { $0 == 0 ? nil : $0 } ?? memoryLimit
    return environment
  }

  /// Seconds since 1970.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1_000_000
  }

  private static var processEnvironment: Value {
    var object = Value.emptyObject
    var entry = environ
    while let text = entry.pointee {
      let bytes = UnsafeBufferPointer(
        start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: strlen(text))
      if let equals = bytes.firstIndex(of: 0x3d) {
        let name = Array(bytes[..<equals])
        object.setMember(Key(bytes: name), .string(repairing: ByteView(rebasing: bytes[(equals + 1)...])))
      }
      entry += 1
    }
    return object
  }

  /// The memory limit of a program: a quarter of the available memory, at most 2 GiB.
  ///
  /// Growing one large array needs the old and the new one at once, hence the margin. What was read before the program
  /// ran does not count.
  private static var memoryLimit: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    var available = pages > 0 && size > 0 ? pages * size : Int.max
    // The limit of a container, if there is one: a number, or `max`.
    if let text = try? readFile("/sys/fs/cgroup/memory.max", limit: 4096),
      let limit = Int(String(decoding: text.filter { $0 &- 0x30 < 10 }, as: UTF8.self))
    {
      available = min(available, limit)
    }
    return min(available / 4, 2 << 30)
  }
}
