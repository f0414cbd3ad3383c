import Glibc
import Reactive
import System
import TestSupport

/// A server that takes the login of a PostgreSQL client, and does with what comes then what a test wants.
final class SilentPostgreSQL: Sendable {
  enum Answer: Sendable {
    case nothing
    /// The result of a statement without rows, with a notice.
    case done(notice: String)
    /// Rows without an end.
    case rows
  }

  private let listener: Int32
  let address: String
  private let connections = Locked<[Int32]>([])
  private let answer: @Sendable (Int) -> Answer

  /// - Parameter answer: What follows on the statement of a number, from 0.
  init(_ answer: @escaping @Sendable (Int) -> Answer) throws {
    let (listener, port) = try openListener()
    (self.listener, self.answer) = (listener, answer)
    address = "postgres://me@127.0.0.1:\(port)/db?sslmode=disable&gssencmode=disable"
    inBackground { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else { return }
        connections.withLock { $0.append(connection) }
        inBackground { [weak self] in self?.serve(connection) }
      }
    }
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  private func serve(_ connection: Int32) {
    var block = [UInt8](repeating: 0, count: 65536)
    // The login, which has no type, in one piece.
    guard recv(connection, &block, block.count, 0) > 0 else { return }
    var isOpen = send(Self.message("R", [0, 0, 0, 0]) + Self.ready, connection)
    var number = 0
    while isOpen, recv(connection, &block, block.count, 0) > 0 {
      switch answer(number) {
      case .nothing: break
      case .done(let notice):
        let text = Array("SNOTICE\0C00000\0M\(notice)\0\0".utf8)
        isOpen = send(
          Self.message("N", text) + Self.message("C", Array("SET\0".utf8)) + Self.ready, connection)
      case .rows:
        let column = Array("a\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]
        isOpen = send(Self.message("T", [0, 1] + column), connection)
        let row = Self.message("D", [0, 1, 0, 0, 0x40, 0] + [UInt8](repeating: 0x78, count: 0x4000))
        while isOpen { isOpen = send(row, connection) }
      }
      number += 1
    }
  }

  private static let ready = message("Z", [0x49])

  private static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
    let count = UInt32(body.count + 4)
    return [type.asciiValue ?? 0] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + body
  }

  private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}
