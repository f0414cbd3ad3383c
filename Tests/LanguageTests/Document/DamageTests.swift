import Foundation
import Reactive
import TestScale
import Testing

@testable import Language

/// Files cut off anywhere and with bytes gone wrong: never a crash, and every place lies in the file.
@Suite struct DamageTests {
  private func inspect(_ bytes: [UInt8]) {
    let document = YAMLDocument(SourceFile(path: "a.yaml", bytes: bytes)) { $0 == "A" ? "x" : nil }
    for problem in document.problems.sorted {
      #expect(problem.place.range.upperBound <= bytes.count)
      #expect(!problem.description.isEmpty)
      #expect(!problem.message.isEmpty && problem.message.last != ".")
    }
    for scalar in scalars(of: document.root) {
      #expect(scalar.place.range.upperBound <= bytes.count)
      let count = scalar.text.utf8.count
      for offset in 0...count {
        let place = scalar.map.file(of: offset)
        if place.upperBound > bytes.count { Issue.record("out of the file: \(place)") }
      }
    }
  }

  @Test func everyTruncationIsRead() {
    for sample in samples {
      let bytes = Array(sample.utf8)
      for count in 0..<bytes.count { inspect(Array(bytes.prefix(count))) }
    }
  }

  @Test func damagedBytesAreRead() {
    var dice = SplitMix64(seed: 5)
    let telling = Array("\t\n\r {}[]:,-&*!|>'\"%@`#?$\\~<".utf8) + [0, 0x80, 0xC2, 0xEF, 0xFF]
    for _ in 0..<TestScale.count(4000) {
      var bytes = Array((samples.randomElement(using: &dice) ?? "").utf8)
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let index = Int.random(in: bytes.indices, using: &dice)
        let byte =
          Bool.random(using: &dice) ? telling.randomElement(using: &dice) : .random(in: 0...255, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: bytes[index] = byte ?? 0
        case 1: bytes.insert(byte ?? 0, at: index)
        default: bytes.remove(at: index)
        }
      }
      inspect(bytes)
    }
  }
}
