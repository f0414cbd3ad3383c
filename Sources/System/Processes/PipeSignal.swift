import Glibc

/// Keeps this thread from being ended for writing to a pipe that nobody reads any more, while `body` runs.
///
/// Such a write sends SIGPIPE, whose handler belongs to the whole process and is not ours to change; the thread's mask
/// is. What came of our own doing is taken back before the mask is.
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
