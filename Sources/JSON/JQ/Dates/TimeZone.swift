/// A time zone, read from a zoneinfo file or made of a rule: the offset from UTC at each moment.
struct TimeZone: Sendable {
  /// An offset from UTC, and its name.
  struct Offset: Sendable {
    var seconds: Int
    var isDaylight: Bool
    var name: String
  }

  private var transitions: [(at: Int, offset: Int)] = []
  private var offsets: [Offset] = []
  /// The rule after the last transition.
  private var rule: ZoneRule?

  static let utc = TimeZone()

  private init() { offsets = [Offset(seconds: 0, isDaylight: false, name: "UTC")] }

  /// The zone of a name such as `Europe/Warsaw`, of a path, or of a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
  init?(name: String, allowsPaths: Bool, files: FileReading) {
    if name.isEmpty || name == "UTC" || name == "GMT" {
      self = .utc
      return
    }
    var path = name
    if !name.hasPrefix("/") {
      let isPlain = name.utf8.allSatisfy {
        ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || [0x2f, 0x5f, 0x2d, 0x2b].contains($0)
      }
      path = isPlain ? "/usr/share/zoneinfo/\(name)" : ""
    } else if !allowsPaths {
      return nil
    }
    if !path.isEmpty, let data = files.read(path), let zone = TimeZone(file: data) {
      self = zone
    } else if let rule = ZoneRule(Array(name.utf8)) {
      self.rule = rule
      offsets = [rule.standard]
    } else {
      return nil
    }
  }

  /// Reads the format of RFC 8536.
  private init?(file: [UInt8]) {
    guard let first = ZoneFileHeader(file, 0) else { return nil }
    var header = first
    var wide = 4
    if first.version >= 0x32 {
      let second = ZoneFileHeader.length + first.bodyLength(4)
      guard let larger = ZoneFileHeader(file, second) else { return nil }
      header = larger
      wide = 8
    }
    let body = header.start + ZoneFileHeader.length
    guard header.typeCount > 0, body + header.bodyLength(wide) <= file.count else { return nil }
    let indices = body + header.timeCount * wide
    let types = indices + header.timeCount
    let names = types + header.typeCount * 6
    for number in 0..<header.typeCount {
      let at = types + number * 6
      let nameStart = names + Int(file[at + 5])
      guard nameStart < names + header.charCount else { return nil }
      let name = file[nameStart..<(names + header.charCount)].prefix { $0 != 0 }
      offsets.append(
        Offset(
          seconds: bigEndian(file, at, 4), isDaylight: file[at + 4] != 0,
          name: String(decoding: name, as: UTF8.self)))
    }
    for number in 0..<header.timeCount {
      let offset = Int(file[indices + number])
      guard offset < offsets.count else { return nil }
      transitions.append((at: bigEndian(file, body + number * wide, wide), offset: offset))
    }
    if wide == 8 {
      let footer = file[(body + header.bodyLength(8))...].dropFirst().prefix { $0 != 0x0a }
      rule = ZoneRule(Array(footer))
    }
  }

  /// The offset at a moment.
  func offset(at time: Int) -> Offset {
    if let last = transitions.last, time >= last.at { return rule?.offset(at: time) ?? offsets[last.offset] }
    if transitions.isEmpty { return rule?.offset(at: time) ?? offsets[0] }
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].at <= time { low = middle + 1 } else { high = middle }
    }
    if low == 0 { return offsets.first { !$0.isDaylight } ?? offsets[0] }
    return offsets[transitions[low - 1].offset]
  }

  /// The moment of a local time given as if it were UTC.
  ///
  /// Of two the earlier; in a gap, as if the gap were not there.
  func moment(ofLocal local: Int) -> Int {
    let before = local - offset(at: local - 86400).seconds
    if offset(at: before).seconds == local - before { return before }
    let after = local - offset(at: local + 86400).seconds
    if offset(at: after).seconds == local - after { return after }
    return before
  }
}

/// A header of a zoneinfo file: the counts of what follows it.
private struct ZoneFileHeader {
  static let length = 44

  let start: Int
  let version: UInt8
  let isUTCCount, isStandardCount, leapCount, timeCount, typeCount, charCount: Int

  init?(_ file: [UInt8], _ start: Int) {
    guard start + ZoneFileHeader.length <= file.count,
      file[start..<start + 4].elementsEqual(Array("TZif".utf8))
    else {
      return nil
    }
    self.start = start
    version = file[start + 4]
    let counts = (0..<6).map { bigEndian(file, start + 20 + $0 * 4, 4) }
    guard counts.allSatisfy({ $0 >= 0 && $0 < 100_000 }) else { return nil }
    (isUTCCount, isStandardCount, leapCount) = (counts[0], counts[1], counts[2])
    (timeCount, typeCount, charCount) = (counts[3], counts[4], counts[5])
  }

  func bodyLength(_ wide: Int) -> Int {
    timeCount * (wide + 1) + typeCount * 6 + charCount + leapCount * (wide + 4) + isStandardCount + isUTCCount
  }
}

private func bigEndian(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
  var value = bytes[start] >= 0x80 ? -1 : 0
  for byte in bytes[start..<start + count] { value = value << 8 | Int(byte) }
  return value
}

/// A time zone of the system, for schedules.
///
///     SystemZone("Europe/Warsaw")?.offset(at: 1_767_225_600)  // 3600
public struct SystemZone: Sendable {
  private let zone: TimeZone

  /// The zone of a name such as `Europe/Warsaw`, or of a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`; nil where there
  /// is none.
  public init?(_ name: String, files: FileReading = .system) {
    guard let zone = TimeZone(name: name, allowsPaths: false, files: files) else { return nil }
    self.zone = zone
  }

  /// Whether local times can be in a zone: one of a name or rule, or a zoneinfo file (`:/etc/localtime`), as in `TZ`.
  public static func isLocal(_ name: String, files: FileReading = .system) -> Bool {
    let path = name.hasPrefix(":") ? String(name.dropFirst()) : name
    return TimeZone(name: path, allowsPaths: true, files: files) != nil
  }

  /// Seconds east of UTC at a moment, in seconds since 1970.
  public func offset(at moment: Int) -> Int { zone.offset(at: moment).seconds }
}
