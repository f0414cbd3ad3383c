/// The layout of a diagram: its boxes and the lines between them, in layers, from top to bottom.
///
/// A node is one layer below the lowest of those it reads. Lines past other layers go through gaps kept for them, so no
/// line crosses a box; within a layer the order with the fewest crossings found is taken.
struct DiagramLayout {
  struct Size {
    var width: Double
    var height: Double
  }

  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  /// The upper left corner of each node's box.
  private(set) var corners: [Point] = []
  /// For each edge the points it goes through: out of a box, straight through each gap, into a box.
  private(set) var routes: [[Point]] = []
  private(set) var size = Size(width: 0, height: 0)

  private static let columnGap = 28.0
  private static let rowGap = 48.0
  /// Between layers whose lines all run straight down.
  private static let straightGap = 32.0
  private static let gapWidth = 12.0

  /// A node, or the gap that an edge goes through in a layer.
  private struct Cell {
    var layer: Int
    var size: Size
    var above: [Int] = []
    var below: [Int] = []
    var center = 0.0
  }

  private var cells: [Cell] = []
  private var layers: [[Int]] = []
  /// For each edge its cells, from top to bottom.
  private var paths: [[Int]] = []

  init(_ sizes: [Size], _ edges: [Diagram.Edge]) {
    makeCells(sizes, edges)
    order()
    place()
    finish(nodes: sizes.count)
  }

  private mutating func makeCells(_ sizes: [Size], _ edges: [Diagram.Edge]) {
    var layer = Array(repeating: 0, count: sizes.count)
    // Whatever reads comes behind what it reads, so one pass is enough.
    for edge in edges { layer[edge.to] = max(layer[edge.to], layer[edge.from] + 1) }
    // Sources stand just above those that read them.
    for node in sizes.indices where !edges.contains(where: { $0.to == node }) {
      let readers = edges.filter { $0.from == node }.map { layer[$0.to] }
      layer[node] = max(0, (readers.min() ?? 1) - 1)
    }
    cells = zip(layer, sizes).map { Cell(layer: $0, size: $1) }
    for edge in edges {
      var path = [edge.from]
      for level in (layer[edge.from] + 1)..<max(layer[edge.from] + 1, layer[edge.to]) {
        cells.append(Cell(layer: level, size: Size(width: Self.gapWidth, height: 0)))
        path.append(cells.count - 1)
      }
      path.append(edge.to)
      for (upper, lower) in zip(path, path.dropFirst()) {
        cells[upper].below.append(lower)
        cells[lower].above.append(upper)
      }
      paths.append(path)
    }
    layers = Array(repeating: [], count: (layer.max() ?? -1) + 1)
    for (number, cell) in cells.enumerated() { layers[cell.layer].append(number) }
  }

  // MARK: - The order within the layers

  private mutating func order() {
    var best = layers
    var fewest = crossings
    for round in 0..<12 where fewest > 0 {
      let isDown = round.isMultiple(of: 2)
      for level in isDown ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed() {
        let other = layers[isDown ? level - 1 : level + 1]
        var position: [Int: Int] = [:]
        for (index, cell) in other.enumerated() { position[cell] = index }
        let present = layers[level].enumerated().map { index, cell in
          let places = (isDown ? cells[cell].above : cells[cell].below).compactMap { position[$0] }
          let mean = places.isEmpty ? Double(index) : Double(places.reduce(0, +)) / Double(places.count)
          return (cell: cell, mean: mean, index: index)
        }
        layers[level] = present.sorted { ($0.mean, $0.index) < ($1.mean, $1.index) }.map(\.cell)
      }
      let now = crossings
      if now < fewest { (best, fewest) = (layers, now) }
    }
    layers = best
  }

  /// How many pairs of lines cross.
  private var crossings: Int {
    var count = 0
    for (upper, lower) in zip(layers, layers.dropFirst()) {
      var position: [Int: Int] = [:]
      for (index, cell) in lower.enumerated() { position[cell] = index }
      var ends: [Int] = []
      for cell in upper {
        let targets = cells[cell].below.compactMap { position[$0] }
        for target in targets { count += ends.count { $0 > target } }
        ends += targets
      }
    }
    return count
  }

  // MARK: - The places

  private mutating func place() {
    for layer in layers { set(layer, wanted: layer.map { _ in 0 }) }
    for round in 0..<16 {
      let isDown = round.isMultiple(of: 2)
      for level in isDown ? Array(layers.indices) : layers.indices.reversed() {
        let wanted = layers[level].map { cell in
          let neighbours = isDown ? cells[cell].above : cells[cell].below
          if neighbours.isEmpty { return cells[cell].center }
          return neighbours.reduce(0) { $0 + cells[$1].center } / Double(neighbours.count)
        }
        set(layers[level], wanted: wanted)
      }
    }
  }

  /// Puts the cells of a layer as near as can be to where they should be, in their order, none over another.
  ///
  /// With the room that each needs taken off, what is left is to find the nearest rising sequence: neighbours that
  /// would fall are pooled and stand at their mean.
  private mutating func set(_ layer: [Int], wanted: [Double]) {
    var offsets: [Double] = []
    var edge = 0.0
    for cell in layer {
      offsets.append(edge + cells[cell].size.width / 2)
      edge += cells[cell].size.width + Self.columnGap
    }
    var pools: [(sum: Double, count: Int)] = []
    for (offset, place) in zip(offsets, wanted) {
      var pool = (sum: place - offset, count: 1)
      while let last = pools.last, last.sum / Double(last.count) > pool.sum / Double(pool.count) {
        pool = (last.sum + pool.sum, last.count + pool.count)
        pools.removeLast()
      }
      pools.append(pool)
    }
    var index = 0
    for pool in pools {
      for _ in 0..<pool.count {
        cells[layer[index]].center = pool.sum / Double(pool.count) + offsets[index]
        index += 1
      }
    }
  }

  private mutating func finish(nodes: Int) {
    let left = cells.map { $0.center - $0.size.width / 2 }.min() ?? 0
    let right = cells.map { $0.center + $0.size.width / 2 }.max() ?? 0
    var tops: [Double] = []
    var y = 0.0
    var bottom = 0.0
    for layer in layers {
      tops.append(y)
      let bends = layer.contains { upper in
        cells[upper].below.contains { abs(cells[$0].center - cells[upper].center) > 0.5 }
      }
      bottom = y + (layer.map { cells[$0].size.height }.max() ?? 0)
      y = bottom + (bends ? Self.rowGap : Self.straightGap)
    }
    size = Size(width: right - left, height: bottom)
    func height(_ level: Int) -> Double { layers[level].map { cells[$0].size.height }.max() ?? 0 }
    corners = cells[..<nodes].map { Point(x: $0.center - $0.size.width / 2 - left, y: tops[$0.layer]) }
    routes = paths.map { path in
      var points: [Point] = []
      for (index, number) in path.enumerated() {
        let cell = cells[number]
        let top = tops[cell.layer]
        if index == 0 {
          let x = cell.center - left + port(number, to: path[1], among: cell.below)
          points.append(Point(x: x, y: top + cell.size.height))
          // Straight down past taller boxes beside it.
          let bottom = top + height(cell.layer)
          if bottom > top + cell.size.height { points.append(Point(x: x, y: bottom)) }
        } else if index == path.count - 1 {
          let x = cell.center - left + port(number, to: path[index - 1], among: cell.above)
          points.append(Point(x: x, y: top))
        } else {
          points.append(Point(x: cell.center - left, y: top))
          points.append(Point(x: cell.center - left, y: top + height(cell.layer)))
        }
      }
      return points
    }
  }

  /// How far from the middle of a box a line meets it: lines are spread in the order of where they come from.
  private func port(_ cell: Int, to other: Int, among others: [Int]) -> Double {
    let order = others.sorted { cells[$0].center < cells[$1].center }
    guard others.count > 1, let index = order.firstIndex(of: other) else { return 0 }
    let step = min(22, cells[cell].size.width * 0.6 / Double(others.count - 1))
    return (Double(index) - Double(others.count - 1) / 2) * step
  }
}
