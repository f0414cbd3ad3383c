import Glibc

/// The depth from which on a recursive walk over a value gets a stack of its own.
private let shallow: UInt32 = 1000

/// Runs a recursive walk over values nested `depth` deep, on a large stack where that is deep.
///
/// Nesting is bounded by `Writer.depthLimit` and its like, but the caller's stack may be a small one. The body gets what it
/// works on as its argument and captures nothing, so that nothing is allocated where the value is not deep.
@inline(__always)
func withStack<A, R>(for depth: UInt32, _ argument: A, _ body: @escaping (A) -> R) -> R {
  depth <= shallow ? body(argument) : withLargeStack { body(argument) }
}

private final class Call {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

/// Runs `body` on a thread with a large stack, for what recurses: only the part that is used takes memory.
///
/// A body that must not escape would bring the path of this file into the binary, which is to be the same wherever it
/// is built.
@inline(never)
public func withLargeStack<R>(_ body: @escaping () -> R) -> R {
  var result: R?
  let call = Unmanaged.passRetained(Call { result = body() })
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
  guard let result else { preconditionFailure("the walk did not run") }
  return result
}
