// What a fold keeps. A view holds its whole chunk of a stream, so a state of a thousand small texts, each from another
// chunk, would hold a thousand chunks. What is put into a container that has grown is therefore copied out of its
// chunk. Small containers hold few chunks by themselves, and are looked through when they are put into a large one.

extension Value {
  /// Containers from this size on may be the state of a fold.
  static let stateSize = 16

  /// The value without views that hold much more than they show.
  @inline(__always)
  func settled(inContainerOf count: Int) -> Value {
    guard count >= Value.stateSize else { return self }
    switch self {
    case .view, .array, .object: return settled(0)
    default: return self
    }
  }

  private func settled(_ level: Int) -> Value {
    switch self {
    case .view(let document, let index): return document.settled(Int(index)) ?? self
    case .array(let storage):
      guard level < 4, let items = Value.settled(storage.items, level) else { return self }
      return .array(items)
    case .object(let storage):
      guard level < 4, let values = Value.settled(storage.values, level) else { return self }
      return .object(ObjectStorage(copying: storage, values: values))
    default: return self
    }
  }

  /// Nil where nothing changes.
  ///
  /// Large containers have settled what was put into them, and are not looked through again.
  private static func settled(_ values: [Value], _ level: Int) -> [Value]? {
    guard values.count <= stateSize, values.contains(where: \.maySettle) else { return nil }
    return values.map { $0.settled(level + 1) }
  }

  private var maySettle: Bool {
    switch self {
    case .view(let document, _): document.roots.count > 1
    case .array, .object: true
    default: false
    }
  }
}

extension Document {
  /// A copy of a value that is a small part of a chunk; nil where the chunk may as well be held.
  fileprivate func settled(_ index: Int) -> Value? {
    guard roots.count > 1 else { return nil }
    if isContainer(index), containerText(at: index).count * 8 > rawCount { return nil }
    return detached(index)
  }
}
