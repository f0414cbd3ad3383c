import SimulatedDisk

@testable import Store

// How a walk ends a process and begins the next, and what must be left then.

extension Walk {
  /// The power goes out or the process is killed, as it was to or all of a sudden.
  mutating func restart() throws {
    let isCut = below(2) == 0
    log.append(isCut ? "power cut" : "killed")
    stop(isCut)
    try open()
  }

  /// What is in memory then is lost, connections being let go only when they can do no harm.
  private mutating func stop(_ isCut: Bool) {
    if isCut { disk.crash() } else { disk.kill() }
    state = nil
    process = disk.start()
    if isCut { doubtful += earlier }
    wasCut = isCut
  }

  /// Ends the process in peace.
  mutating func close() throws {
    log.append("close")
    state = nil
    if disk.isStopped { return try restart() }
    process = disk.start()
    try open()
  }

  /// Opens the file, which may take several tries, and sees what is there.
  mutating func open() throws {
    if below(4) == 0 { disk.stop(atOperation: 1 + below(40)) }
    var tries = 0
    while true {
      let failure = attempt { () throws(StoreError) in
        state = nil
        state = try process.state(Walk.path) { [options] in $0 = options }
        for node in nodes { _ = try state?.table(node: node, description: "d") }
      }
      if let failure { log.append("not opened: \(failure)") }
      if disk.isStopped {
        let isCut = below(2) == 0
        log.append(isCut ? "power cut while opening" : "killed while opening")
        stop(isCut)
        if below(3) == 0 { disk.stop(atOperation: 1 + below(20)) }
      } else if let failure {
        try check(failure.isFull || failure.kind == .disk || failure.kind == .denied, "\(failure)")
        tries += 1
        try check(tries < 3, "cannot be opened on a disk that is sound: \(failure)")
        relieve()
      } else {
        break
      }
    }
    disk.cancelStop()
    relieve()
    guard let state else { return }
    let found = try StateModel(state, nodes: nodes)
    let isKnown = found == kept || doubtful.contains(found)
    try check(isKnown, "left is \(found), acknowledged was \(kept), may be \(doubtful)")
    if !isSynced { earlier = wasCut ? [] : earlier + doubtful + [kept] }
    kept = found
    tables = found.tables
    doubtful = []
    wasCut = false
  }

  /// Compares what is in memory and in the file with the model.
  mutating func look() throws {
    relieve()
    disk.cancelStop()
    if disk.isStopped { return }
    // After a failed read nothing can be committed until the file is opened again.
    if state?.database.readError != nil { return try close() }
    guard let state else { return }
    var expected = kept
    expected.tables = tables
    let found = try StateModel(state, nodes: nodes)
    try check(found == expected, "there is \(found) instead of \(expected)")
  }

  /// One more commit, a last end of the process, and SQLite's own word for what is left.
  mutating func end() throws {
    relieve()
    disk.cancelStop()
    try look()
    try state?.commit { _ in }
    var next = kept
    next.epoch += 1
    next.tables = tables
    acknowledge(next)
    log.append("end")
    disk.kill()
    state = nil
    process = disk.start()
    try open()
    let answer = try state?.database.text("PRAGMA integrity_check") ?? ""
    try check(answer == "ok", answer)
  }
}
