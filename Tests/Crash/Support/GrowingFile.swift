import Foundation
import Reactive

/// A file of lines that grows, with lines that come in halves, and is rotated, also while nothing runs.
final class GrowingFile {
  private let place: Place
  private let name: String
  /// The line of a number, counted from one.
  private let line: (Int) -> String
  private let most: Int
  private(set) var count = 0
  /// What is left of a line that was begun.
  private var rest: String?
  private var lastRotation = Date()
  private var dice: SplitMix64

  /// - Parameter most: How many lines are added at a time.
  init(_ name: String, in place: Place, seed: UInt64 = 1, most: Int = 20, _ line: @escaping (Int) -> String)
    throws
  {
    (self.place, self.name, self.most, self.line) = (place, name, most, line)
    dice = SplitMix64(seed: seed)
    try place.write(name, "")
  }

  var lines: [String] { count > 0 ? (1...count).map(line) : [] }

  /// Lets it grow, now and then.
  ///
  /// - Parameter mayRotate: Whether the file has been read: one that never was is not known by any other name.
  func tend(mayRotate: Bool) throws {
    switch dice.below(40) {
    case 0..<10: try add(1 + dice.below(most))
    case 10 where rest == nil:
      count += 1
      let line = line(count) + "\n"
      let first = line.prefix(1 + dice.below(line.count - 1))
      try place.append(name, String(first))
      rest = String(line.dropFirst(first.count))
    case 11 where mayRotate && lastRotation.timeIntervalSinceNow < -0.3: try rotate()
    default: break
    }
  }

  func add(_ lines: Int) throws {
    var text = rest ?? ""
    rest = nil
    for _ in 0..<lines {
      count += 1
      text += line(count) + "\n"
    }
    try place.append(name, text)
  }

  private func rotate() throws {
    try add(0)
    // A last line may have no line break.
    let isCutShort = dice.below(4) == 0
    if isCutShort {
      count += 1
      try place.append(name, line(count))
    }
    var number = 1
    while place.has("\(name).\(number)") { number += 1 }
    for number in (1..<number).reversed() {
      rename(place["\(name).\(number)"], place["\(name).\(number + 1)"])
    }
    rename(place[name], place["\(name).1"])
    // A writer that does not know yet, and then a while without a file.
    if !isCutShort, dice.below(2) == 0 {
      count += 1
      try place.append("\(name).1", line(count) + "\n")
    }
    if dice.below(2) == 0 { usleep(5000) }
    try place.write(name, "")
    lastRotation = Date()
  }
}
