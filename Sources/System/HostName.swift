import Glibc

/// The name of this machine, as others on its network know it; `localhost` where it has none.
///
/// A cluster distinguishes machines by it, and the web page answers requests that are addressed to it. It is asked for
/// at each call, since a machine may get its name after it has started.
///
///     hostName()  // web-2
public func hostName() -> String {
  // Longer names are not possible.
  var name = [CChar](repeating: 0, count: 256)
  guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
  let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: bytes, as: UTF8.self)
}
