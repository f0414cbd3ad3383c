import CGlibc
import Glibc

/// The pages of the program's own code that are mapped into memory.
package enum StartupCode {
  /// Unmaps them all; those that run again are mapped again, from the page cache.
  ///
  /// Reading and planning pipelines touches nearly all of the code, and waiting for the next poll a small part. A run that
  /// waits has 9 MB mapped with this, and 18 MB without.
  package static func release() {
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    let start = (UInt(bitPattern: flow_code_start()) + page - 1) / page * page
    let end = UInt(bitPattern: flow_code_end()) / page * page
    guard start < end else { return }
    madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
  }
}
