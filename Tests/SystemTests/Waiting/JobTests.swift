import Expectations
import Reactive
import Testing

import TestSupport
@testable import System

@Test("a job is waited for, and says why it failed")
func jobs() {
  let count = Locked(0)
  let job = Job { () throws(FileFailure) in
    count.withLock { $0 += 1 }
    throw FileFailure("a", "is not there")
  }
  job.wait()
  job.wait()
  #expect(job.isDone)
  expect(job.failure?.description, equals: "a: is not there")
  expect(count.withLock { $0 }, equals: 1)
}
