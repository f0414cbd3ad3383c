import Glibc
import Reactive

/// All that is on a simulated disk and all that is open on it, behind the disk's lock.
struct DiskState {
  var options: SimulatedDisk.Options
  var random: SplitMix64
  var names = NameTable()
  var inodes: [Int: Inode] = [:]
  /// The open handles, and what each is open on.
  var handles: [Int: Int] = [:]
  /// Handles of processes that were stopped have numbers up to here.
  var stoppedHandles = 0
  /// Processes that were started before this many stops are gone.
  var stops = 0
  var number = 0
  var now: Int64 = 1_700_000_000_000

  var faults: [DiskFault] = []
  var capacity: Int?
  var operations = 0
  var stopAt: Int?
  var isStopped = false
  var trace = DiskTrace()

  init(_ options: SimulatedDisk.Options) {
    self.options = options
    random = SplitMix64(seed: options.seed)
  }

  mutating func next() -> Int {
    number += 1
    return number
  }

  func inode(of handle: Int) throws(DiskFailure) -> Int {
    if let inode = handles[handle] { return inode }
    throw handle <= stoppedHandles ? .stopped : .system(EBADF)
  }

  /// Counts an operation; answers how many of its bytes are done, and what it fails with then.
  mutating func admit(
    _ operation: DiskOperation, _ path: String, at offset: Int = 0, count: Int = 0
  ) -> (bytes: Int, failure: DiskFailure?) {
    if operation.changes, !isStopped { operations += 1 }
    var admitted: (bytes: Int, failure: DiskFailure?) = (count, nil)
    if isStopped {
      admitted = (0, .stopped)
    } else if operation.changes, let stopAt, operations >= stopAt {
      isStopped = true
      admitted = (random.below(count + 1), .stopped)
    } else if let fault = fault(operation, path) {
      admitted = (min(fault.bytesBefore, count), .system(fault.code))
    }
    trace.add(
      .init(
        number: operations, operation: operation, path: path, offset: offset, count: count,
        failure: admitted.failure))
    return admitted
  }

  /// As `admit`, of an operation that is done whole or not at all.
  mutating func check(_ operation: DiskOperation, _ path: String, at offset: Int = 0) throws(DiskFailure) {
    if let failure = admit(operation, path, at: offset).failure { throw failure }
  }

  private mutating func fault(_ operation: DiskOperation, _ path: String) -> DiskFault? {
    var hit: DiskFault?
    var left: [DiskFault] = []
    for var fault in faults {
      guard hit == nil, fault.operation == operation, path.hasSuffix(fault.suffix) else {
        left.append(fault)
        continue
      }
      switch fault.moment {
      case .number(let number) where number <= 1:
        hit = fault
        guard fault.bytesBefore > 0 else { continue }
        // A partial write returns its length; the next one fails.
        fault.bytesBefore = 0
      case .number(let number): fault.moment = .number(number - 1)
      case .from(let number):
        if number <= 1 { hit = fault } else { fault.moment = .from(number - 1) }
      case .oneIn(let chance): if random.below(chance) == 0 { hit = fault }
      }
      left.append(fault)
    }
    faults = left
    return hit
  }

  // MARK: Content

  mutating func read(
    _ handle: Int, into target: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(DiskFailure) -> Int {
    let number = try inode(of: handle)
    guard let path = inodes[number]?.path else { throw .system(EBADF) }
    if let failure = admit(.read, path, at: offset, count: target.count).failure { throw failure }
    return inodes[number]?.content.read(into: target, at: offset) ?? 0
  }

  mutating func write(
    _ handle: Int, _ source: UnsafeRawBufferPointer, at offset: Int?
  ) throws(DiskFailure) -> Int {
    let number = try inode(of: handle)
    guard let path = inodes[number]?.path, let size = inodes[number]?.content.count else {
      throw .system(EBADF)
    }
    let offset = offset ?? size
    var (count, failure) = admit(.write, path, at: offset, count: source.count)
    if failure == nil, let capacity, offset + count > size {
      let room = max(0, capacity - used)
      count = min(count, max(0, size + room - offset))
      if count < source.count { failure = .system(ENOSPC) }
    }
    if count > 0 { inodes[number]?.write(UnsafeRawBufferPointer(rebasing: source[..<count]), at: offset) }
    if let failure, count == 0 || failure == .stopped { throw failure }
    return count
  }

  mutating func truncate(_ handle: Int, to size: Int) throws(DiskFailure) {
    let number = try inode(of: handle)
    guard let path = inodes[number]?.path else { throw .system(EBADF) }
    try check(.truncate, path, at: size)
    inodes[number]?.resize(size)
  }

  mutating func sync(_ handle: Int) throws(DiskFailure) {
    let number = try inode(of: handle)
    guard let path = inodes[number]?.path else { throw .system(EBADF) }
    do throws(DiskFailure) {
      try check(.sync, path)
    } catch {
      if error != .stopped, options.failedSyncLosesWrites { inodes[number]?.failSync(&random) }
      throw error
    }
    inodes[number]?.sync()
    if options.names == .journaled { names.syncFile(number) }
  }

  /// The bytes of the files that have a name or are open.
  var used: Int {
    let named = Set(names.current.files.values)
    return inodes.reduce(0) { sum, entry in
      sum + (named.contains(entry.key) || entry.value.opens > 0 ? entry.value.content.count : 0)
    }
  }
}

extension DiskState {
  // MARK: Stops

  /// Every process ends; what they have written stays.
  mutating func kill() {
    stops += 1
    handles = [:]
    stoppedHandles = number
    (isStopped, stopAt) = (false, nil)
    for inode in inodes.keys.sorted() {
      inodes[inode]?.opens = 0
      inodes[inode]?.claimant = nil
      inodes[inode]?.locks = FileLocks()
      inodes[inode]?.shared = nil
      dropNameless(inode)
    }
  }

  /// The power goes out: what was not synced is there in parts, if at all.
  mutating func crash() {
    names.losePower(&random, isJournaled: options.names == .journaled)
    for inode in inodes.keys.sorted() {
      inodes[inode]?.losePower(&random, leavesGarbage: options.leavesGarbage)
    }
    for (path, inode) in names.current.files { inodes[inode]?.path = path }
    kill()
  }
}
