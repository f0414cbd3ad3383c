import CGlibc

/// The heap of the process: what its allocator does with memory that is freed.
package enum Heap {
  /// The size, in bytes, from which blocks are returned to the system as soon as they are freed.
  private static let large: Int32 = 256 << 10

  /// Keeps the allocator from raising that size by itself, up to 32 MiB, each time a large block is freed.
  ///
  /// Caches and buffers that grow and are replaced would otherwise leave holes that nothing else fits into: with ten
  /// tables and new keys without end, 178 MB and growing were 140 MB. Reading a file of 400,000 lines takes as long.
  package static func returnLargeBlocks() {
    mallopt(M_MMAP_THRESHOLD, large)
    mallopt(M_TRIM_THRESHOLD, large)
  }
}
