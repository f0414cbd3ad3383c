import System
import Foundation
import Reactive

/// The named points of the command: which there are, which a scenario passes, and whose turn it is.
struct CrashPointNames {
  /// By name, how often a process was killed there, in all scenarios.
  private(set) var kills: [String: Int] = [:]
  private var reached: Set<String> = []

  /// Whether the command was built with them.
  static let areBuilt = ProcessInfo.processInfo.environment["FLOW_CRASH_POINTS"] != nil

  /// All that stand in the sources.
  let all: [String]

  init() {
    let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    let sources = URL(fileURLWithPath: String(package.dropFirst())).appending(path: "Sources")
    var names: Set<String> = []
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift", let text = try? String(contentsOf: file, encoding: .utf8) else {
        continue
      }
      for part in text.components(separatedBy: "crashPoint(\"").dropFirst() {
        if let end = part.firstIndex(of: "\"") { names.insert(String(part[..<end])) }
      }
    }
    all = names.sorted()
  }

  /// One of those that have been passed in a place, and of these one where few were killed before.
  mutating func next(in place: Place, _ dice: inout SplitMix64) -> String? {
    guard Self.areBuilt else { return nil }
    let known = Set(place.bytes("seen-points").lines)
    reached.formUnion(known)
    let fewest = known.map { kills[$0] ?? 0 }.min()
    return known.filter { kills[$0] ?? 0 == fewest }.sorted().randomElement(using: &dice)
  }

  mutating func countKill(at name: String) { kills[name, default: 0] += 1 }

  /// A table of them.
  var text: String {
    let width = all.map(\.count).max() ?? 0
    return all.map { name in
      let count = kills[name].map { "\($0)" } ?? (reached.contains(name) ? "0" : "never passed")
      return "  \(name.padding(toLength: width, withPad: " ", startingAt: 0))  \(count)"
    }.joined(separator: "\n")
  }
}
