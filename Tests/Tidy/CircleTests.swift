import Testing

/// Files of a module that name each other, directly or by way of others.
///
/// Whoever changes one of a circle must know the others; the largest circle of each module only shrinks.
@Suite struct CircleTests {
  /// The names that a file declares at its top.
  private static func names(in file: Repository.File) -> [String] {
    let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    return file.lines.compactMap { line in
      guard let first = line.first, first.isLetter, !line.hasPrefix("extension") else { return nil }
      let words = line.split(separator: " ").prefix(6)
      guard let kind = words.firstIndex(where: { kinds.contains(String($0)) }), kind + 1 < words.endIndex
      else {
        return nil
      }
      return words[kind + 1].words.first.map(String.init)
    }
  }

  /// The files that a file names, by their places in the list.
  private static func edges(_ files: [Repository.File]) -> [Set<Int>] {
    var owners: [Substring: Int] = [:]
    for (index, file) in files.enumerated() {
      for name in names(in: file) { owners[Substring(name)] = index }
    }
    return files.enumerated().map { index, file in
      var found: Set<Int> = []
      for line in file.lines where !line.withoutIndentation.hasPrefix("//") {
        for word in line.words {
          if let other = owners[word], other != index { found.insert(other) }
        }
      }
      return found
    }
  }

  /// The circles of a graph, each as its places: Tarjan's way, with a stack of its own.
  static func circles(_ edges: [Set<Int>]) -> [[Int]] {
    var (index, low) = ([Int?](repeating: nil, count: edges.count), [Int](repeating: 0, count: edges.count))
    var (stack, isOnStack) = ([Int](), [Bool](repeating: false, count: edges.count))
    var (next, found) = (0, [[Int]]())
    for root in edges.indices where index[root] == nil {
      var work = [(place: root, rest: Array(edges[root]))]
      while let (place, rest) = work.last {
        if index[place] == nil {
          (index[place], low[place]) = (next, next)
          next += 1
          stack.append(place)
          isOnStack[place] = true
        }
        if let other = rest.last {
          work[work.count - 1].rest.removeLast()
          if index[other] == nil {
            work.append((other, Array(edges[other])))
          } else if isOnStack[other] {
            low[place] = min(low[place], index[other] ?? 0)
          }
          continue
        }
        work.removeLast()
        if let parent = work.last?.place { low[parent] = min(low[parent], low[place]) }
        guard low[place] == index[place] else { continue }
        var circle: [Int] = []
        while let last = stack.popLast() {
          isOnStack[last] = false
          circle.append(last)
          if last == place { break }
        }
        if circle.count > 1 { found.append(circle) }
      }
    }
    return found
  }

  @Test("the largest circle of files in a module does not grow")
  func largest() {
    var findings: [Finding] = []
    for (module, files) in Dictionary(grouping: Repository.sources, by: \.module) {
      let circle = Self.circles(Self.edges(files)).max { $0.count < $1.count } ?? []
      findings += circle.map { place in
        Finding(
          module, files[place], line: 1,
          "one of \(circle.count) files that name each other; let one of them be told what it needs")
      }
    }
    Ratchet.expect(findings, rule: "circle")
  }

  @Test("circles are found, whatever leads into them and out of them")
  func search() {
    #expect(Self.circles([[1], [2], []]).isEmpty)
    let found = Self.circles([[1], [2], [0, 3], [4], [3], [5]]).map { $0.sorted() }
    #expect(Set(found) == [[0, 1, 2], [3, 4]])
  }
}
