import CAllocations
import Glibc
import Synchronization

/// One thing to measure: `run` handles `elements` elements.
struct Case: Sendable {
  let name: String
  /// Another name, under which it is asked for as well.
  let alias: String?
  let what: String
  let elements: Int
  let limit: Limit?
  let run: @Sendable () async -> Void

  init(
    _ name: String, _ what: String, alias: String? = nil, elements: Int = 500_000, limit: Limit? = nil,
    run: @escaping @Sendable () async -> Void
  ) {
    self.name = name
    self.alias = alias
    self.what = what
    self.elements = elements
    self.limit = limit
    self.run = run
  }
}

extension Case {
  var isYardstick: Bool { Yardstick(rawValue: name) != nil }

  func isCalled(_ names: Set<String>) -> Bool { names.contains(name) || alias.map(names.contains) ?? false }
}

/// What one case came to, each figure per element.
struct Figures {
  var nanoseconds = Double.infinity
  var allocations = Double.infinity

  mutating func improve(by other: Figures) {
    nanoseconds = min(nanoseconds, other.nanoseconds)
    allocations = min(allocations, other.allocations)
  }
}

/// Runs all cases in turn, several times over, and keeps the best of each: what else the machine does at the time
/// hits all of them alike.
func measure(_ cases: [Case], rounds: Int) async -> [Figures] {
  var figures = cases.map { _ in Figures() }
  for round in 0...rounds {
    for (index, each) in cases.enumerated() {
      let allocations = allocations_count()
      let start = processTime()
      await each.run()
      let time = processTime() - start
      if round == 0 { continue }  // a warm-up
      let count = Double(allocations_count() - allocations)
      figures[index].improve(
        by: Figures(nanoseconds: time / Double(each.elements), allocations: count / Double(each.elements)))
    }
  }
  return figures
}

/// CPU time of all threads, in nanoseconds.
func processTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The memory the process has in use, in bytes.
func residentMemory() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, 128, file) != nil else { return 0 }
  let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
    separator: " ")
  return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
}

/// Where results go, so that the compiler cannot leave the work out.
final class Checksum: Sendable {
  private let sum = Atomic<Int>(0)
  @inline(__always) func add(_ value: Int) {
    sum.store(sum.load(ordering: .relaxed) &+ value, ordering: .relaxed)
  }
}

/// A number the compiler does not know.
@inline(never) func opaque(_ value: Int) -> Int { value + (CommandLine.arguments.count > 1_000_000 ? 1 : 0) }
