import CGlibc

/// The heap of the process: what its allocator does with memory that is freed.
package enum Heap {
  /// The size, in bytes, from which blocks are returned to the system as soon as they are freed.
  ///
  /// Above that of a source's buffers, which come and go with each read: with 256 KiB the system had to clear their
  /// pages each time, and 250,000 `changes` took 0.2 s of system time instead of 0.07 s.
  private static let large: Int32 = 512 << 10

  /// Keeps the allocator from raising that size by itself, up to 32 MiB, each time a large block is freed.
  ///
  /// Caches and buffers that grow and are replaced would otherwise leave holes that nothing else fits into: with ten
  /// tables and new keys without end, 178 MB and growing were 140 MB. Reading a file of 400,000 lines takes as long.
  package static func returnLargeBlocks() {
    mallopt(M_MMAP_THRESHOLD, large)
    mallopt(M_TRIM_THRESHOLD, large)
  }
}
