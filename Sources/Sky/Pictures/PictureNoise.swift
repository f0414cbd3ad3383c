// Clouds: noise of several sizes added up.

/// A field of brightness from 0 to 1, the same picture at any resolution.
struct PictureNoise: Sendable {
  let width: Int
  let height: Int
  private(set) var values: [Float]

  /// - Parameter cells: how many of the largest clouds lie side by side.
  init(width: Int, height: Int, cells: Int, _ random: inout SkyRandom) {
    self.width = width
    self.height = height
    values = [Float](repeating: 0, count: width * height)
    var share: Float = 0.5
    var columns = cells
    for _ in 0..<5 {
      add(columns: columns, share: share, &random)
      columns *= 2
      share /= 2
    }
  }

  /// A lattice of random heights, smoothly joined.
  private mutating func add(columns: Int, share: Float, _ random: inout SkyRandom) {
    let rows = max(1, columns * 5 / 8)
    let lattice = (0..<(columns + 1) * (rows + 1)).map { _ in Float.random(in: 0..<share, using: &random) }
    let across = Self.steps(width, columns)
    let down = Self.steps(height, rows)
    for y in 0..<height {
      let upper = down[y].cell * (columns + 1)
      let weight = down[y].weight
      for x in 0..<width {
        let (cell, part) = across[x]
        let corner = upper + cell
        let top = lattice[corner] + (lattice[corner + 1] - lattice[corner]) * part
        let below = corner + columns + 1
        let bottom = lattice[below] + (lattice[below + 1] - lattice[below]) * part
        values[y * width + x] += top + (bottom - top) * weight
      }
    }
  }

  /// For each dot of a side, the lattice's cell it lies in and how far.
  private static func steps(_ length: Int, _ cells: Int) -> [(cell: Int, weight: Float)] {
    (0..<length).map { dot in
      let place = (Float(dot) + 0.5) / Float(length) * Float(cells)
      let cell = min(Int(place), cells - 1)
      let part = place - Float(cell)
      return (cell, part * part * (3 - 2 * part))
    }
  }
}
