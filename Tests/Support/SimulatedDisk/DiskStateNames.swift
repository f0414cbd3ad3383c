import System
import Glibc

// How files and folders come to their names and lose them.

extension DiskState {
  mutating func open(_ path: String, _ mode: SimulatedFile.Mode) throws(DiskFailure) -> Int {
    if isStopped { throw .stopped }
    if names.current.folders.contains(path) { throw .system(EISDIR) }
    let inode: Int
    if let known = names.current.files[path] {
      if mode == .createNew { throw .system(EEXIST) }
      inode = known
    } else {
      guard mode != .existing else { throw .system(ENOENT) }
      try checkFolder(of: path)
      try check(.create, path)
      inode = next()
      inodes[inode] = Inode(path: path)
      names.record(.create(path, inode))
    }
    let handle = next()
    handles[handle] = inode
    inodes[inode]?.opens += 1
    return handle
  }

  mutating func close(_ handle: Int) {
    guard let inode = handles.removeValue(forKey: handle) else { return }
    inodes[inode]?.opens -= 1
    if inodes[inode]?.claimant == handle { inodes[inode]?.claimant = nil }
    inodes[inode]?.locks.lower(handle, to: .none)
    dropNameless(inode)
  }

  mutating func remove(_ path: String) throws(DiskFailure) {
    guard let inode = names.current.files[path] else { throw .system(ENOENT) }
    try check(.remove, path)
    names.record(.remove(path))
    dropNameless(inode)
  }

  mutating func rename(_ path: String, to target: String) throws(DiskFailure) {
    guard let inode = names.current.files[path] else { throw .system(ENOENT) }
    if names.current.folders.contains(target) { throw .system(EISDIR) }
    try checkFolder(of: target)
    try check(.rename, path)
    guard path != target else { return }
    let replaced = names.current.files[target]
    names.record(.rename(path, target, inode))
    inodes[inode]?.path = target
    if let replaced { dropNameless(replaced) }
  }

  mutating func makeFolder(_ path: String) throws(DiskFailure) {
    guard names.current.files[path] == nil, !names.current.folders.contains(path) else {
      throw .system(EEXIST)
    }
    try checkFolder(of: path)
    try check(.makeFolder, path)
    names.record(.makeFolder(path))
  }

  mutating func syncFolder(_ path: String) throws(DiskFailure) {
    guard names.current.folders.contains(path) else { throw .system(ENOENT) }
    try check(.syncFolder, path)
    names.syncFolder(path, isJournaled: options.names == .journaled)
  }

  private func checkFolder(of path: String) throws(DiskFailure) {
    let folder = NameTable.folder(of: path)
    if names.current.files[folder] != nil { throw .system(ENOTDIR) }
    guard names.current.folders.contains(folder) else { throw .system(ENOENT) }
  }

  mutating func dropNameless(_ inode: Int) {
    if inodes[inode]?.opens == 0, !names.mayName(inode) { inodes[inode] = nil }
  }
}
