import CGlibc
import Glibc

// What one evaluation carries with it: its budget, its surroundings, and the frames of the functions that are active.

/// Limits of one evaluation.
///
/// Nothing given means no limit.
public struct Budget: Sendable {
  /// Outputs of generators, calls of functions and turns of loops.
  public var steps: Int?
  /// Bytes that the evaluation may hold, roughly.
  public var memory: Int?
  /// Seconds, counted by `clock`.
  public var seconds: Double?
  /// Any clock in seconds that only goes forward.
  ///
  /// Read every few thousand steps.
  public var clock: (@Sendable () -> Double)?

  public init(
    steps: Int? = nil, memory: Int? = nil, seconds: Double? = nil, clock: (@Sendable () -> Double)? = nil
  ) {
    self.steps = steps
    self.memory = memory
    self.seconds = seconds
    self.clock = clock
  }
}

/// What a program may ask of the world.
///
/// Everything absent is refused, with a reason, when a program asks for it.
///
///     var environment = Environment()
///     environment.now = 1_767_225_600
///     environment.variables = ["vars": vars]
public struct Environment {
  /// Values of the variables that the program was compiled with.
  public var variables: [String: Value] = [:]
  /// `env` and `$ENV`: an object of texts.
  public var processEnvironment: Value?
  /// `now`, in seconds since 1970.
  public var now: Double?
  /// The zone of `localtime`, `strflocaltime` and `mktime` in local form: `Europe/Warsaw`; UTC without one.
  public var timeZone: String?
  /// `input`: the next value, nil at the end.
  public var nextInput: (() throws -> Value?)?
  // `debug`
  public var debug: ((Value) -> Void)?
  // `stderr`
  public var standardError: ((Value) -> Void)?
  // `input_filename`
  public var inputFileName: (() -> String?)?
  // `input_line_number`
  public var inputLineNumber: (() -> Int)?
  public var budget = Budget()

  public init() {}
}

/// The variables and arguments of one active function; the outermost one is the program's.
final class Frame {
  unowned(unsafe) let run: Run
  /// The run's, at hand here.
  let hints: UnsafeMutablePointer<Int>
  /// The frame of the function around this one in the text.
  let parent: Frame?
  let slots: UnsafeMutablePointer<Value>
  private let count: Int
  private(set) var arguments: [Closure]
  /// How many frames hang on one another through arguments.
  private let chain: Int

  init(_ run: Run, parent: Frame?, slots count: Int, arguments: [Closure]) {
    self.run = run
    hints = run.hints
    self.parent = parent
    self.count = count
    self.arguments = arguments
    chain = arguments.reduce(0) { max($0, $1.frame.chain) } + 1
    slots = .allocate(capacity: max(count, 1))
    slots.initialize(repeating: .null, count: count)
  }

  deinit {
    slots.deinitialize(count: count)
    slots.deallocate()
    if chain > 500 { dismantle() }
  }

  /// Takes a long chain of frames apart in a loop, not by recursion.
  private func dismantle() {
    var pending = arguments.map(\.frame)
    arguments = []
    while var frame = pending.popLast() {
      if isKnownUniquelyReferenced(&frame) {
        pending.append(contentsOf: frame.arguments.map(\.frame))
        frame.arguments = []
      }
    }
  }

  /// Lets go of all values.
  func clear() {
    for slot in 0..<count { slots[slot] = .null }
  }

  @inline(__always)
  func up(_ hops: Int) -> Frame {
    var frame = self
    for _ in 0..<hops {
      guard let parent = frame.parent else { break }
      frame = parent
    }
    return frame
  }
}

/// An argument of a function: code, and the frame that its variables are in.
struct Closure {
  let code: ArgumentCode
  let frame: Frame
}

/// A call in tail position, carried out by whoever called the function it stands in.
struct TailCall {
  let function: FunctionCode
  let input: Value
  let frame: Frame
}

/// The state of one evaluation; confined to one thread.
final class Run {
  var environment: Environment
  /// Where each lookup of a constant name found it the last time.
  let hints: UnsafeMutablePointer<Int>
  private let hintCount: Int
  var tail: TailCall?
  /// Labels handed out.
  private var labels = 0
  /// Calls that are active, for where the stack cannot be measured.
  var depth = 0

  private var steps = 0
  private var stepLimit = 0
  private var stepsBefore = 0
  private var deadline: Double?
  private var charged = 0
  private var chargeLimit = Int.max
  private var residentAtStart = 0
  private var stack = StackBounds.none
  /// Compiled regular expressions, most recent last.
  var patterns = PatternCache()
  var zones: [String: TimeZone] = [:]

  static let stepsBetweenChecks = 4096

  init(_ environment: Environment, hints count: Int) {
    self.environment = environment
    hintCount = count
    hints = .allocate(capacity: max(count, 1))
    hints.initialize(repeating: 0, count: max(count, 1))
  }

  deinit { hints.deallocate() }

  /// Starts the budget anew.
  func begin() {
    let budget = environment.budget
    steps = 0
    stepsBefore = 0
    depth = 0
    tail = nil
    stepLimit = min(Run.stepsBetweenChecks, budget.steps ?? .max)
    deadline = budget.seconds.flatMap { seconds in budget.clock.map { $0() + seconds } }
    charged = 0
    // Freed memory is not counted back: past a part of the limit the process is asked how large it is.
    chargeLimit = budget.memory.map { max($0 / 4, 1 << 16) } ?? .max
    residentAtStart = -1
    let here = stackPointer()
    if !stack.contains(here) { stack = .current() }
  }

  func nextLabel() -> Int {
    labels += 1
    return labels
  }

  /// Counts one step of a generator, loop or call.
  @inline(__always)
  func step() throws(Stop) {
    steps &+= 1
    if steps >= stepLimit { try checkSteps() }
  }

  @inline(never)
  private func checkSteps() throws(Stop) {
    stepsBefore += steps
    steps = 0
    let budget = environment.budget
    if let limit = budget.steps, stepsBefore >= limit {
      throw Stop(.refused("the expression took more than \(limit) steps"))
    }
    stepLimit = min(Run.stepsBetweenChecks, (budget.steps ?? .max) - stepsBefore)
    if let deadline, let clock = budget.clock, clock() > deadline {
      throw Stop(.refused("the expression took longer than \(budget.seconds ?? 0) seconds"))
    }
  }

  /// Counts memory that a growing value takes.
  @inline(__always)
  func charge(_ bytes: Int) throws(Stop) {
    charged &+= bytes
    if charged > chargeLimit { try checkMemory(0) }
  }

  /// Asks before a single large allocation.
  @inline(__always)
  func reserve(_ bytes: Int) throws(Stop) {
    charged &+= bytes
    if charged > chargeLimit { try checkMemory(bytes) }
  }

  @inline(never)
  private func checkMemory(_ wanted: Int) throws(Stop) {
    guard let limit = environment.budget.memory else { return }
    let resident = residentBytes()
    if residentAtStart < 0 { residentAtStart = max(0, resident - (charged - wanted)) }
    // What others in the process allocate is not held against this evaluation beyond what it allocated itself.
    let held = min(charged, max(0, resident - residentAtStart) + wanted)
    if held > limit { throw Stop(.refused("the expression needs more than \(limit >> 20) MiB of memory")) }
    chargeLimit = charged + max((limit - held) / 2, limit / 32)
  }

  /// Complains when the stack is nearly used up.
  @inline(__always)
  func checkStack() throws(Stop) {
    if !stack.hasRoom(stackPointer(), depth) { throw Run.tooDeep() }
  }

  @inline(never)
  private static func tooDeep() -> Stop { Stop(.refused("the expression recurses too deeply")) }

  func refusal(_ what: String, _ why: String) -> Stop {
    Stop(.refused("\(what) is not available here: \(why)"))
  }
}

// MARK: - The machine

/// Where about the stack is.
///
/// Only good for comparisons.
@inline(__always)
func stackPointer() -> UInt { UInt(bitPattern: flow_frame_address()) }

/// The stack of one thread.
struct StackBounds {
  let low: UInt
  let high: UInt
  let depthLimit: Int

  var size: Int { Int(high - low) }

  static let none = StackBounds(low: 0, high: 0, depthLimit: 200)
  /// Kept free for builtins, which check only where they recurse themselves.
  private static let reserve: UInt = 160 << 10

  static func current() -> StackBounds {
    var attributes = pthread_attr_t()
    guard pthread_getattr_np(pthread_self(), &attributes) == 0 else { return .none }
    defer { pthread_attr_destroy(&attributes) }
    var base: UnsafeMutableRawPointer?
    var size = 0
    guard pthread_attr_getstack(&attributes, &base, &size) == 0, let base else { return .none }
    let low = UInt(bitPattern: base)
    return StackBounds(low: low, high: low + UInt(size), depthLimit: max(50, size / 16384))
  }

  func contains(_ pointer: UInt) -> Bool { pointer >= low && pointer < high }

  @inline(__always)
  func hasRoom(_ pointer: UInt, _ depth: Int) -> Bool {
    if contains(pointer) { return pointer > low + min(StackBounds.reserve, (high - low) / 4) }
    // On a stack that nobody has told of, calls are counted.
    return depth < depthLimit
  }
}

/// The process's resident memory in bytes.
func residentBytes() -> Int {
  let file = open("/proc/self/statm", O_RDONLY)
  guard file >= 0 else { return .max }
  defer { close(file) }
  return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
    let count = read(file, buffer.baseAddress, 128)
    var field = 0
    var pages = 0
    for byte in buffer.prefix(max(count, 0)) {
      if byte == 0x20 { field += 1 } else if field == 1 { pages = pages * 10 + Int(byte &- 0x30) }
    }
    return pages * 4096
  }
}
