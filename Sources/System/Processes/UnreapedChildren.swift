import Glibc
import Reactive

/// Children that have survived SIGKILL so far, because they are in an uninterruptible system call.
///
/// Nothing waits for them; their statuses are collected when the next child is started.
package enum UnreapedChildren {
  private static let children = Locked<[pid_t]>([])

  package static var count: Int { children.withLock { $0.count } }

  package static func add(_ process: pid_t) {
    children.withLock { $0.append(process) }
  }

  package static func collect() {
    children.withLock { children in
      if children.isEmpty { return }
      children.removeAll { process in
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) != 0
      }
    }
  }
}
