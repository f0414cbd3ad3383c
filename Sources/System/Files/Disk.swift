/// The files that a pipeline writes: handed in with the world, so that tests hand in another disk.
public protocol Disk: Sendable {
  /// Opens a file to add to, made where it is missing, its folder being there.
  func open(toAppend path: String, mode: UInt32, followsLinks: Bool) throws(DiskError) -> any DiskFile
  /// Opens a file to read, and waits for nobody who writes.
  func open(toRead path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile
  /// The same, and to write what is there over itself.
  func open(toWriteOver path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile
  /// Makes one folder; that it is there already is no failure.
  func makeFolder(_ path: String) throws(DiskError)
  /// What the path leads to, nil where that is nothing.
  func status(of path: String) -> DiskStatus?
  /// Whether there is such a name, if only a link that leads nowhere.
  func exists(_ path: String) -> Bool
  /// When a file was made, in seconds since 1970; where that is not known, when it was last written to.
  func beginning(of path: String) -> Int?
  /// Gives a file another name, which another file loses.
  func rename(_ old: String, to new: String) throws(DiskError)
  /// Takes a name away, if it can be.
  func unlink(_ path: String)
  /// Returns when the names in a folder are safe; not all file systems can say, which costs nothing but that.
  func syncFolder(_ path: String)
}

/// A file of a disk that is open, until its last holder lets go of it.
public protocol DiskFile: AnyObject, Sendable {
  var status: DiskStatus? { get }
  /// Adds bytes to the end, at least one; how many, which may be fewer than were given.
  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int
  /// Fills the buffer with what is at a place, as far as one read does; 0 at the end.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int
  /// Writes over bytes that are there; how many, at least one, which may be fewer than were given.
  func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int
  /// Returns when everything that was written to the file since the last call, by whomever, is safe.
  ///
  /// Where it fails, what was written before may be lost, and later calls do not tell: the system has it in memory still,
  /// and takes it for safe. Only what is written once more, if with the same bytes, is made safe by them.
  func sync() throws(DiskError)
}

/// The number by which a system says why something failed.
public struct DiskError: Error, Equatable, Sendable {
  public var code: Int32
  public init(code: Int32) { self.code = code }
}

/// Which file it is, whatever its name: names move, this does not.
public struct FileIdentity: Hashable, Sendable {
  public var device: UInt
  public var inode: UInt

  public init(device: UInt, inode: UInt) {
    self.device = device
    self.inode = inode
  }
}

/// What a disk knows of a file.
public struct DiskStatus: Equatable, Sendable {
  public var identity: FileIdentity
  public var size: Int
  /// Pipes and devices are not.
  public var isRegular: Bool

  public init(identity: FileIdentity, size: Int, isRegular: Bool = true) {
    self.identity = identity
    self.size = size
    self.isRegular = isRegular
  }
}
