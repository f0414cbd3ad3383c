import Glibc

/// Starts a thread for `body`; false where the system has none to give.
///
/// `name` is what `ps -L` and debuggers show of it, 15 characters at most.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
  final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
  }
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Start(String(name.prefix(15)), body)).toOpaque()
  let code = pthread_create(
    &thread, nil,
    { context in
      guard let context else { return nil }
      let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
      nameThread(start.name)
      start.body()
      return nil
    }, context)
  if code == 0 { pthread_detach(thread) } else { Unmanaged<Start>.fromOpaque(context).release() }
  return code == 0
}

/// Where the system shows the calling thread: `1234/task/1240` in `/proc`.
func presentThread() -> String? {
  let text = String(unsafeUninitializedCapacity: 64) { text in
    text.withMemoryRebound(to: CChar.self) { text in
      text.baseAddress.map { max(0, readlink("/proc/thread-self", $0, text.count)) } ?? 0
    }
  }
  return text.isEmpty ? nil : text
}

/// Names the calling thread, through the one interface for that which needs no variadic call.
private func nameThread(_ name: String) {
  guard let file = fopen("/proc/thread-self/comm", "w") else { return }
  fputs(name, file)
  fclose(file)
}
