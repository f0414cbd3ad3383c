import Expectations
import Reactive
import Testing

@testable import JSON

@Suite("The difference of two texts by lines")
struct LineDifferenceTests {
  private func unified(_ before: String, _ after: String) -> String {
    var (before, after) = (before, after)
    return before.withUTF8 { old in
      after.withUTF8 { new in String(decoding: LineDifference(old, new).unified, as: UTF8.self) }
    }
  }

  private func numbered(_ numbers: some Sequence<Int>) -> String { numbers.map { "\($0)\n" }.joined() }

  @Test("it has three lines of context, and one hunk where two are near")
  func context() {
    let before = numbered(1...30)
    let near = before.replacing("\n5\n", with: "\nfive\n").replacing("\n12\n", with: "\ntwelve\n")
    expect(
      unified(before, near),
      equals: """
        @@ -2,14 +2,14 @@
         2
         3
         4
        -5
        +five
         6
         7
         8
         9
         10
         11
        -12
        +twelve
         13
         14
         15
        """)
    let far = before.replacing("\n5\n", with: "\nfive\n").replacing("\n13\n", with: "\n")
    expect(
      unified(before, far),
      equals: """
        @@ -2,7 +2,7 @@
         2
         3
         4
        -5
        +five
         6
         7
         8
        @@ -10,7 +10,6 @@
         10
         11
         12
        -13
         14
         15
         16
        """)
  }

  @Test(
    "texts at their ends",
    arguments: [
      ("", "a\n", "@@ -0,0 +1 @@\n+a"), ("a\n", "", "@@ -1 +0,0 @@\n-a"), ("a\nb", "a\nb", ""), ("", "", ""),
      ("a\n", "b\n", "@@ -1 +1 @@\n-a\n+b"), ("a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n+c"),
      ("a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b"),
      ("a\n", "b\na\n", "@@ -1 +1,2 @@\n+b\n a"), ("a\n", "a\nb\n", "@@ -1 +1,2 @@\n a\n+b"),
      ("a\r\nb\n", "a\nb\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b"),
    ])
  func ends(_ before: String, _ after: String, _ expected: String) {
    expect(unified(before, after), equals: expected)
  }

  /// The later text, made of the earlier one and the difference; nil where they do not fit.
  private func patched(_ before: String, _ difference: String) -> String? {
    var old = before.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)[...]
    var new: [String] = []
    var place = 1
    for line in difference.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = String(line.dropFirst())
      switch line.first {
      case "@":
        let range = line.split(separator: " ")[1].dropFirst().split(separator: ",")
        guard let first = Int(range[0]) else { return nil }
        let start = range.count == 2 && range[1] == "0" ? first + 1 : first
        new += old.prefix(start - place)
        old = old.dropFirst(start - place)
        place = start
      case "+": new.append(text)
      case " ", "-":
        guard old.popFirst() == text else { return nil }
        place += 1
        if line.first == " " { new.append(text) }
      default: return nil
      }
    }
    return (new + old).map { $0 + "\n" }.joined()
  }

  @Test("a difference makes the later text of the earlier one, with no line too many", arguments: [1, 2, 3])
  func property(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let kinds = Int.random(in: 1...6, using: &random)
      func lines() -> [Int] {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0..<kinds, using: &random) }
      }
      let (before, after) = (lines(), lines())
      let text = unified(numbered(before), numbered(after))
      if before == after { #expect(text.isEmpty) }
      #expect(before == after || patched(numbered(before), text) == numbered(after), "\(text)")
      let changed = text.split(separator: "\n").count { $0.first == "+" || $0.first == "-" }
      expect(
        changed, equals: before.count + after.count - 2 * common(before, after), "\(before) \(after) \(text)")
    }
  }

  @Test("each hunk has three lines of context on both sides, as far as the text goes", arguments: [1, 2, 3])
  func contextOfHunks(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let before = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        Int.random(in: 0...2, using: &random)
      }
      var after = before
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0...after.count, using: &random)
        if place < after.count, Bool.random(using: &random) {
          after.remove(at: place)
        } else {
          after.insert(1, at: place)
        }
      }
      let text = unified(numbered(before), numbered(after))
      for hunk in text.split(separator: "@@ -").filter({ !$0.isEmpty }) {
        let lines = hunk.split(separator: "\n")
        let range = lines[0].split(separator: " ")[0].split(separator: ",").compactMap { Int($0) }
        let count = range.count == 2 ? range[1] : 1
        let first = count == 0 ? range[0] + 1 : range[0]
        let body = lines.dropFirst()
        let (lead, tail) = (
          body.prefix { $0.first == " " }.count, body.reversed().prefix { $0.first == " " }.count
        )
        // What lies before the first changed line of the earlier text, and behind the last.
        let (above, below) = (first - 1 + lead, before.count - (first + count - 1) + tail)
        #expect(lead >= min(3, above) && tail >= min(3, below), "\(before) \(after) \(text)")
      }
    }
  }

  /// The length of the longest common subsequence.
  private func common(_ before: [Int], _ after: [Int]) -> Int {
    var row = Array(repeating: 0, count: after.count + 1)
    for line in before {
      var last = row
      for (place, other) in after.enumerated() {
        last[place + 1] = line == other ? row[place] + 1 : max(row[place + 1], last[place])
      }
      row = last
    }
    return row[after.count]
  }

  @Test("where more differs than is searched for, lines that occur once divide the texts")
  func anchors() {
    // Each second line is another one, so that 4,000 lines differ.
    let before = (0..<4000).map { $0.isMultiple(of: 2) ? "same \($0)\n" : "old \($0)\n" }.joined()
    let after = before.replacing("old", with: "new")
    let text = unified(before, after)
    expect(patched(before, text), equals: after)
    expect(text.split(separator: "\n").count { $0.first == "-" }, equals: 2000)
  }

  @Test("texts that have nothing in common, and those of very many lines, are replaced as a whole")
  func bounds() {
    let (before, after) = (numbered(0..<3000), numbered(10_000..<13_000))
    expect(patched(before, unified(before, after)), equals: after)
    // Two kinds of lines: none occurs once.
    let mixed = { (seed: UInt64) in
      var random = SplitMix64(seed: seed)
      return self.numbered((0..<20_000).map { _ in Int.random(in: 0...1, using: &random) })
    }
    expect(patched(mixed(1), unified(mixed(1), mixed(2))), equals: mixed(2))
    let many = String(repeating: "a\n", count: 300_000)
    let other = "x\n" + many + "y\n"
    let text = unified(many, other)
    #expect(text.hasPrefix("@@ -1,300000 +1,300002 @@\n-a\n") && text.hasSuffix("\n+y"))
  }

  @Test("differences of texts of several lines have it, whether read or built; other texts do not")
  func entries() throws {
    let before = #"{"a":"x\ny","b":"x","c":"\u000a\"","d":"a\\nb"}"#
    let after = #"{"a":"x\nz","b":"x\ny","c":"\n","d":"a\\nc"}"#
    let expected =
      #"[{"path":"/a","before":"x\ny","after":"x\nz","lines":"@@ -1,2 +1,2 @@\n x\n-y\n+z"},"#
      + #"{"path":"/b","before":"x","after":"x\ny"},"#
      + #"{"path":"/c","before":"\n\"","after":"\n","lines":"@@ -1,2 +1 @@\n \n-\"\n\\ No newline at end of file"},"#
      + #"{"path":"/d","before":"a\\nb","after":"a\\nc"}]"#
    let list = Value.differences(from: try json(before), to: try json(after))
    expect(Value.array(list.map(\.value)).description, equals: expected)
    expect(
      DifferenceWriter().value(from: try json(before), to: try json(after))?.description, equals: expected)
    var built = try json(after)
    built.setMember("a", .string("x\nz"))
    expect(DifferenceWriter().value(from: try json(before), to: built)?.description, equals: expected)
  }
}
