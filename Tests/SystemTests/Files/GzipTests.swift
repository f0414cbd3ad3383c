import Expectations
import Testing

import TestSupport
@testable import System

@Test("zlib's errors have words")
func gzipReasons() {
  expect(gzipReason(-3), equals: "data error")
}
