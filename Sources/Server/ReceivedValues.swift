import CMicrohttpd

/// The headers and query parameters of a request, as libmicrohttpd has them.
package enum ReceivedValues {
  package typealias Pair = (name: String, value: String)

  private final class Pairs {
    var all: [Pair] = []
  }

  package static func headers(of connection: OpaquePointer) -> [Pair] { pairs(connection, ofQuery: false) }

  package static func query(of connection: OpaquePointer) -> [Pair] { pairs(connection, ofQuery: true) }

  private static func pairs(_ connection: OpaquePointer, ofQuery: Bool) -> [Pair] {
    let pairs = Pairs()
    let context = Unmanaged.passUnretained(pairs).toOpaque()
    _ = flow_mhd_values(
      connection, ofQuery,
      { context, _, name, value in
        guard let context, let name else { return .YES }
        let pairs = Unmanaged<Pairs>.fromOpaque(context).takeUnretainedValue()
        pairs.all.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
        return .YES
      }, context)
    return pairs.all
  }
}
