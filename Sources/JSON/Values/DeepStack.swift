import Glibc

/// The depth from which on a recursive walk over a value gets a stack of its own.
private let shallow: UInt32 = 1000

/// Runs a recursive walk over values nested `depth` deep, on a large stack where that is deep.
///
/// Nesting is bounded by `Writer.depthLimit` and its like, but the caller's stack may be a small one.
@inline(__always)
func withStack<R>(for depth: UInt32, _ body: () -> R) -> R {
  depth <= shallow ? body() : withLargeStack(body)
}

private final class Call {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

/// Runs `body` on a thread with a large stack, for what recurses: only the part that is used takes memory.
@inline(never)
public func withLargeStack<R>(_ body: () -> R) -> R {
  var result: R?
  // The check that the body has not escaped names its place, and this name is the same wherever flow is built.
  #sourceLocation(file:"withLargeStack",line:1)
  withoutActuallyEscaping({ result = body() }) { escaping in
    let call = Unmanaged.passRetained(Call(escaping))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 256 << 20)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Call>.fromOpaque(argument).takeUnretainedValue().body()
        return nil
      }, call.toOpaque())
    pthread_attr_destroy(&attributes)
    if status == 0 { pthread_join(thread, nil) } else { call.takeUnretainedValue().body() }
    call.release()
  }
  #sourceLocation()
  guard let result else { preconditionFailure("the walk did not run") }
  return result
}
