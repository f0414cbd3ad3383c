import Testing

@testable import Nodes

@Test("zlib's errors have words")
func gzipReasons() {
  #expect(gzipReason(-3) == "data error")
}
