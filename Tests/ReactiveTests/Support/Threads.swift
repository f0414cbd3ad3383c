import Foundation

/// Runs `body` on several threads at once, and waits for all; false if one is not back within `patience` seconds.
@discardableResult
func inThreads(_ count: Int, patience: Double = 120, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
  let done = DispatchSemaphore(value: 0)
  for index in 0..<count {
    Thread.detachNewThread {
      body(index)
      done.signal()
    }
  }
  return (0..<count).allSatisfy { _ in done.wait(timeout: .now() + patience) == .success }
}

/// Runs `body` on a thread with a stack of `bytes`, so that recursion shows; false if it is not back in time.
func onSmallStack(_ bytes: Int = 256 * 1024, patience: Double = 120, _ body: @escaping @Sendable () -> Void)
  -> Bool
{
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = bytes
  thread.start()
  return done.wait(timeout: .now() + patience) == .success
}

/// Waits until something becomes true, looking every millisecond; false if it does not in time.
func eventually(patience: Double = 120, _ condition: () -> Bool) -> Bool {
  let deadline = Date().addingTimeInterval(patience)
  while !condition() {
    if Date() > deadline { return false }
    usleep(1000)
  }
  return true
}

/// Waits as `eventually` does, without a thread, so that tasks get on.
func soon(patience: Double = 120, _ condition: () -> Bool) async -> Bool {
  let deadline = Date().addingTimeInterval(patience)
  while !condition() {
    if Date() > deadline { return false }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return true
}
