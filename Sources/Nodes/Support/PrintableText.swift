import JSON
import Engine
import Language

extension Value {
  /// Compact JSON; for a terminal, with the control characters escaped that JSON leaves as they are.
  func shown(on screen: Screen) -> [UInt8] {
    screen.isTerminal ? Array(printable(description).utf8) : json
  }
}
