import CGlibc
import Glibc
import Reactive

/// The limit of open descriptors: as high as the system permits for this process, and as it was for its children.
///
/// Shells and service managers set the soft limit to 1,024, since `select` can wait for no more, and leave the hard one
/// high for programs that wait otherwise. A pipeline with a state has five descriptors, so 200 of them would be too many.
package enum DescriptorLimit {
  /// The most that is requested: enough for ten thousand pipelines.
  private static let most: rlim_t = 1 << 16

  /// The limits before they were raised.
  private static let former = Locked<rlimit?>(nil)

  /// Raises the limit of this process.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return }
    let raised = rlimit(rlim_cur: max(limit.rlim_cur, min(limit.rlim_max, most)), rlim_max: limit.rlim_max)
    if withUnsafePointer(to: raised, { setrlimit(kind, $0) }) == 0 { former.withLock { $0 = limit } }
  }

  /// Gives a child that was just started the limit that it would have without `raise`.
  ///
  /// Some programs close all descriptors up to their limit, one by one, or wait by `select`. Since `posix_spawn` sets no
  /// limits, the child may run for a moment before.
  static func restore(in child: pid_t) {
    guard let former = former.withLock({ $0 }) else { return }
    flow_restore_limit(child, Int32(RLIMIT_NOFILE.rawValue), rlim_t(current), former.rlim_cur)
  }

  /// How many descriptors this process may have.
  package static var current: Int {
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return 1024 }
    return Int(min(limit.rlim_cur, rlim_t(Int.max)))
  }

  private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
