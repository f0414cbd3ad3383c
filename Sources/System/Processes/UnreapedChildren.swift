import Glibc
import Reactive

/// Children that not even SIGKILL has ended yet, since the kernel is at something for them that cannot be interrupted.
///
/// Nobody waits for them; they are looked after whenever the next one is started.
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
