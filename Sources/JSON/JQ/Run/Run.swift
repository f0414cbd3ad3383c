// The state of one evaluation: its budget, its environment, and the frames of active functions.

/// The variables and arguments of one active function; the outermost one is the program's.
final class Frame {
  unowned(unsafe) let run: Run
  /// The run's hints, one indirection closer.
  let hints: UnsafeMutablePointer<Int>
  /// The frame of the enclosing function.
  let parent: Frame?
  let slots: UnsafeMutablePointer<Value>
  private let count: Int
  private(set) var arguments: [Closure]
  /// The length of the longest chain of frames that hold each other through arguments.
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

  /// Releases a long chain of frames in a loop rather than recursively.
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

  /// Releases all values.
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

/// A call in tail position, carried out by the caller of the function that contains it.
struct TailCall {
  let function: FunctionCode
  let input: Value
  let frame: Frame
}

/// The state of one evaluation; confined to one thread.
final class Run {
  var environment: Environment
  /// The position where each lookup of a constant name last found it.
  let hints: UnsafeMutablePointer<Int>
  private let hintCount: Int
  var tail: TailCall?
  /// The number of labels in use so far.
  private var labels = 0
  /// The number of active calls, for a stack that cannot be measured.
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

  /// Resets the budget for another input.
  func begin() {
    steps = 0
    stepsBefore = 0
    depth = 0
    tail = nil
    stepLimit = min(Run.stepsBetweenChecks, environment.budget.steps ?? .max)
    // The clock is first read after some thousand steps: most runs end earlier.
    deadline = nil
    charged = 0
    // Freed memory is not counted: past a part of the limit the process's real size is read.
    chargeLimit = environment.budget.memory.map { max($0 / 4, 1 << 16) } ?? .max
    residentAtStart = -1
    let here = stackPointer()
    if !stack.contains(here) { stack = .current() }
  }

  private func isLate(_ now: Double, after seconds: Double) -> Bool {
    guard let deadline else {
      deadline = now + seconds
      return false
    }
    return now > deadline
  }

  func nextLabel() -> Int {
    labels += 1
    return labels
  }

  /// Counts one step of a generator, loop or call.
  @inline(__always)
  func step() throws(Exception) {
    steps &+= 1
    if steps >= stepLimit { try checkSteps() }
  }

  @inline(never)
  private func checkSteps() throws(Exception) {
    stepsBefore += steps
    steps = 0
    let budget = environment.budget
    if let limit = budget.steps, stepsBefore >= limit {
      throw Exception(.refused("the expression took more than \(limit) steps"))
    }
    stepLimit = min(Run.stepsBetweenChecks, (budget.steps ?? .max) - stepsBefore)
    if let seconds = budget.seconds, let clock = budget.clock, isLate(clock(), after: seconds) {
      throw Exception(.refused("the expression took longer than \(budget.seconds ?? 0) seconds"))
    }
  }

  /// Counts memory that a growing value takes.
  @inline(__always)
  func charge(_ bytes: Int) throws(Exception) {
    charged &+= bytes
    if charged > chargeLimit { try checkMemory(0) }
  }

  /// Counts a single large allocation before it is made.
  @inline(__always)
  func reserve(_ bytes: Int) throws(Exception) {
    charged &+= bytes
    if charged > chargeLimit { try checkMemory(bytes) }
  }

  @inline(never)
  private func checkMemory(_ wanted: Int) throws(Exception) {
    guard let limit = environment.budget.memory else { return }
    let resident = residentBytes()
    if residentAtStart < 0 { residentAtStart = max(0, resident - (charged - wanted)) }
    // Memory that other threads allocate counts at most as much as this evaluation has allocated itself.
    let held = min(charged, max(0, resident - residentAtStart) + wanted)
    if held > limit {
      throw Exception(.refused("the expression needs more than \(limit >> 20) MiB of memory"))
    }
    chargeLimit = charged + max((limit - held) / 2, limit / 32)
  }

  /// Throws when the stack is nearly used up.
  @inline(__always)
  func checkStack() throws(Exception) {
    if !stack.hasRoom(stackPointer(), depth) { throw Run.tooDeep() }
  }

  @inline(never)
  private static func tooDeep() -> Exception { Exception(.refused("the expression recurses too deeply")) }

  func refusal(_ what: String, _ why: String) -> Exception {
    Exception(.refused("\(what) is not available here: \(why)"))
  }
}
