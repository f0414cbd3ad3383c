// What one evaluation carries with it: its budget, its surroundings, and the frames of the functions that are active.

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
    steps = 0
    stepsBefore = 0
    depth = 0
    tail = nil
    stepLimit = min(Run.stepsBetweenChecks, environment.budget.steps ?? .max)
    // The clock is first read when some thousand steps are done: most runs end before.
    deadline = nil
    charged = 0
    // Freed memory is not counted back: past a part of the limit the process is asked how large it is.
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
    if let seconds = budget.seconds, let clock = budget.clock, isLate(clock(), after: seconds) {
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
