import Glibc
import Reactive
import Synchronization

/// What it costs to get from one thread to another.
func crossingCases(_ sum: Checksum) -> [Case] {
  let count = 500_000
  let lane = SerialScheduler(name: "bench")
  let crossing = PublishSubject<Int>()
  let arrived = Arrivals()
  _ = crossing.observe(on: lane, capacity: 1024).subscribe(next: {
    sum.add($0)
    if $0 == count - 1 { arrived.signal() }
  })

  let pingPong = PublishSubject<Int>()
  _ = pingPong.observe(on: lane).subscribe(next: {
    sum.add($0)
    arrived.signal()
  })

  let inputs = [PublishSubject<Int>(), PublishSubject<Int>()]
  _ = Observable.merge(inputs).subscribe(next: { sum.add($0) })

  return [
    Case("f2", "merge of 2, fed by 2 threads") {
      inThreads(2) { index in for value in 0..<(count / 2) { inputs[index].next(value) } }
    },
    Case("j", "cross to a serial scheduler, 1024 at most under way") {
      for value in 0..<count { crossing.next(value) }
      arrived.wait()
    },
    Case("j, batches", "the same, handed over 256 at a time") {
      for start in stride(from: 0, to: count, by: 256) {
        crossing.next(batch: Array(start..<min(start + 256, count)))
      }
      arrived.wait()
    },
    Case("j2", "the same, one at a time", elements: 20_000) {
      for value in 0..<20_000 {
        pingPong.next(value)
        arrived.wait()
      }
    },
  ]
}

/// A counter that one thread waits on and others raise.
final class Arrivals: Sendable {
  private let count = Mutex(0)
  private let bell = PipeBell()

  func signal() { bell.ring() }
  func wait() { bell.wait() }
}

/// A wake-up through a pipe: the same, plain means for every case that waits for the other side.
private final class PipeBell: Sendable {
  private let reading: Int32
  private let writing: Int32

  init() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("no pipe to be had") }
    reading = ends[0]
    writing = ends[1]
  }

  func ring() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  func wait() {
    var byte: UInt8 = 0
    _ = read(reading, &byte, 1)
  }
}

/// Runs `body` in several threads at once and waits for all.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  final class Job {
    let index: Int
    let body: @Sendable (Int) -> Void
    init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
      self.index = index
      self.body = body
    }
  }
  let threads = (0..<count).map { index in
    var thread = pthread_t()
    let job = Unmanaged.passRetained(Job(index, body)).toOpaque()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let job = Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
        job.body(job.index)
        return nil
      }, job)
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}
