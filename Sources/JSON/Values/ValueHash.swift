extension Value: Hashable {
  /// Agrees with `==`: the order of an object's members does not count.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(contentHash(0))
  }

  /// Deep inside, counts stand for contents: a hash need not see everything.
  private func contentHash(_ level: Int) -> UInt64 {
    let kind = kind
    let salt = UInt64(kind.rawValue) &* 0x9E37_79B9_7F4A_7C15
    switch kind {
    case .null: return salt
    case .boolean: return salt ^ (isTruthy ? 1 : 2)
    case .number:
      let double = double ?? 0
      return salt ^ (double == 0 ? 0 : double.isNaN ? 1 : double.bitPattern)
    case .string: return salt ^ UInt64(withText { hashBytes($0) } ?? 0)
    case .array, .object:
      var hash = salt ^ UInt64(count ?? 0)
      guard level < 16 else { return hash }
      if kind == .array {
        forEachElement { hash = (hash ^ $0.contentHash(level + 1)) &* 0x100_0000_01B3 }
      } else {
        forEachMember { key, value in
          hash &+= (key.contentHash(level) &* 0x100_0000_01B3) ^ value.contentHash(level + 1)
        }
      }
      return hash
    }
  }
}
