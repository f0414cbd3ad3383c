import Glibc

/// Keeps SIGPIPE from ending the process if `body` writes to a pipe without a reader.
///
/// The handler of SIGPIPE belongs to the whole process and is not changed; the thread's mask is. A signal caused by
/// `body` is consumed before the mask is restored.
package func withoutPipeSignal<Result>(_ body: () -> Result) -> Result {
  var pipe = sigset_t()
  var before = sigset_t()
  var pending = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  sigpending(&pending)
  pthread_sigmask(SIG_BLOCK, &pipe, &before)
  defer {
    if sigismember(&pending, SIGPIPE) != 1 {
      var none = timespec()
      while sigtimedwait(&pipe, nil, &none) == -1, errno == EINTR {}
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
  return body()
}
