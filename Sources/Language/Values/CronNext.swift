import System
extension Cron {
  /// The first moment after that one, in seconds since 1970 UTC, in a zone whose clocks may change.
  ///
  /// Where clocks are put forward or back, as in Vixie's cron:
  /// - a schedule that names its hours (`30 2 * * *`) runs once a day come what may: a time that is skipped runs at
  ///   the moment of the change (several of them once), a time that comes twice runs the first time;
  /// - a schedule whose hour begins with a star (`*/15 * * * *`) follows the clock: a time that is skipped does not
  ///   run, a time that comes twice runs twice.
  public func next(after moment: Int, in zone: some ZoneRules) -> Int? {
    var start = moment
    var offset = zone.offset(at: start)
    // Each turn is a stretch between two changes of the clocks; no zone has a thousand in forty years.
    for _ in 0..<1000 {
      guard let wall = next(after: start + offset, skippingRepeatsBefore: offset, zone) else { return nil }
      let candidate = wall - offset
      guard let change = Cron.firstChange(after: start, through: candidate, from: offset, in: zone) else {
        return candidate
      }
      let later = zone.offset(at: change)
      if !isByTheHour, later > offset, let skipped = next(after: CivilTime(seconds: change + offset - 1)),
        skipped.seconds < change + later, change > moment
      {
        return change
      }
      // The moment of the change itself may be one of the schedule's.
      start = change - 1
      offset = later
    }
    return nil
  }

  /// The next of the wall's times, counted as if this offset held on; not one that the wall showed before already.
  private func next(after wall: Int, skippingRepeatsBefore offset: Int, _ zone: some ZoneRules) -> Int? {
    var wall = wall
    while let found = next(after: CivilTime(seconds: wall))?.seconds {
      let before = zone.offset(at: found - offset - 86400)
      let isRepeat =
        before > offset && zone.offset(at: found - before) == before
        && zone.offset(at: found - offset) == offset
      if isByTheHour || !isRepeat { return found }
      wall = found
    }
    return nil
  }

  /// The first moment at which the offset is another one.
  private static func firstChange(
    after start: Int, through end: Int, from offset: Int, in zone: some ZoneRules
  ) -> Int? {
    var low = start
    while low < end {
      var high = min(low + 86400, end)
      if zone.offset(at: high) != offset {
        while high - low > 1 {
          let middle = low + (high - low) / 2
          if zone.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
      }
      low = high
    }
    return nil
  }
}
