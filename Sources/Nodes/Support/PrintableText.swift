import JSON
import Engine
import Language

/// A text with its control characters escaped, except line breaks and tabs.
func printableLines(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
  var shown = ""
  var line = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if scalar == "\n" || scalar == "\t" {
      shown += printable(String(line))
      shown.unicodeScalars.append(scalar)
      line.removeAll()
    } else {
      line.append(scalar)
    }
  }
  return shown + printable(String(line))
}

extension Value {
  /// Compact JSON; for a terminal, with the control characters escaped that JSON leaves as they are.
  func shown(on screen: Screen) -> [UInt8] {
    screen.isTerminal ? Array(printable(description).utf8) : json
  }
}
