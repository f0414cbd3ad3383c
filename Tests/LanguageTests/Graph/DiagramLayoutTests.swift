import Expectations
import Reactive
import Testing

@testable import Language

@Suite struct DiagramLayoutTests {
  typealias Size = DiagramLayout.Size

  func edge(_ from: Int, _ to: Int) -> Diagram.Edge { Diagram.Edge(from: from, to: to, isSide: false) }

  @Test("a chain runs straight down")
  func chain() {
    let sizes = [Size(width: 100, height: 30), Size(width: 200, height: 40), Size(width: 50, height: 30)]
    let layout = DiagramLayout(sizes, [edge(0, 1), edge(1, 2)])
    expect(layout.size.width, equals: 200)
    expect(layout.corners.map(\.x), equals: [50, 0, 75])
    #expect(layout.routes.allSatisfy { route in route.allSatisfy { $0.x == 100 } })
  }

  @Test("lines that need not cross do not")
  func crossings() {
    let sizes = Array(repeating: Size(width: 60, height: 30), count: 6)
    // Drawn in the order of their numbers, all three would cross.
    let layout = DiagramLayout(sizes, [edge(0, 5), edge(1, 4), edge(2, 3)])
    for (source, target) in [(0, 5), (1, 4), (2, 3)] {
      expect(layout.corners[source].x, equals: layout.corners[target].x)
    }
  }

  @Test("nothing at all has no size")
  func nothing() {
    expect(DiagramLayout([], []).size.height, equals: 0)
  }

  @Test("boxes never overlap, and lines go from box to box without crossing any", arguments: 0..<60)
  func random(seed: UInt64) {
    var dice = SplitMix64(seed: seed)
    let count = Int.random(in: 1...18, using: &dice)
    let sizes = (0..<count).map { _ in
      Size(width: .random(in: 90...340, using: &dice), height: .random(in: 30...70, using: &dice))
    }
    var edges: [Diagram.Edge] = []
    for to in 1..<max(2, count) where to < count {
      for _ in 0..<Int.random(in: 0...3, using: &dice) {
        let new = edge(Int.random(in: 0..<to, using: &dice), to)
        if !edges.contains(new) { edges.append(new) }
      }
    }
    let layout = DiagramLayout(sizes, edges)
    func box(_ node: Int) -> (left: Double, right: Double, top: Double, bottom: Double) {
      let corner = layout.corners[node]
      return (corner.x, corner.x + sizes[node].width, corner.y, corner.y + sizes[node].height)
    }
    for node in 0..<count {
      let one = box(node)
      #expect(one.left >= -0.01 && one.right <= layout.size.width + 0.01)
      #expect(one.bottom <= layout.size.height + 0.01)
      for other in 0..<node {
        let two = box(other)
        let isApart =
          one.right <= two.left || two.right <= one.left || one.bottom <= two.top || two.bottom <= one.top
        #expect(isApart, "\(node) and \(other)")
      }
    }
    for (edge, route) in zip(edges, layout.routes) {
      guard let start = route.first, let end = route.last else { continue }
      let (upper, lower) = (box(edge.from), box(edge.to))
      #expect(start.y == upper.bottom && start.x >= upper.left && start.x <= upper.right)
      #expect(end.y == lower.top && end.x >= lower.left && end.x <= lower.right)
      // Where a line bends there is nothing but lines: it passes every layer straight down.
      for (from, to) in zip(route, route.dropFirst()) {
        for other in 0..<count where other != edge.from && other != edge.to {
          let box = box(other)
          let isBeside = max(from.x, to.x) <= box.left || min(from.x, to.x) >= box.right
          #expect(isBeside || to.y <= box.top || from.y >= box.bottom, "\(edge) and \(other)")
        }
      }
    }
  }
}
