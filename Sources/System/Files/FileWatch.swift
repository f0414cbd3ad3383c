import CGlibc
import Glibc

/// Waits until something may have happened to a file, there or not yet, or to its name.
///
/// By inotify, on the file and on its folder; where that does not report everything, the wait ends after a second.
package final class FileWatch {
  private let path: String
  private let folder: String
  private let queue: OpenDescriptor
  private var folderWatch: Int32 = -1
  private var fileWatch: Int32 = -1
  private let isSilent: Bool

  /// With `polls` a wait always ends after a second.
  package init(_ path: String, polls: Bool = false) {
    self.path = path
    folder = splitPath(path).folder
    queue = OpenDescriptor(owning: inotify_init1(flow_inotify_flags))
    isSilent = polls || queue.number < 0
  }

  /// Begins to watch the file and its folder: to be called before the look whose outcome the wait is for.
  package func arm() {
    guard !isSilent else { return }
    if folderWatch < 0 {
      // The last is for a file that may not be read yet, and so cannot be watched itself.
      let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_ATTRIB)
      folderWatch = inotify_add_watch(queue.number, folder, events)
    }
    if fileWatch < 0 {
      let events = UInt32(IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)
      fileWatch = inotify_add_watch(queue.number, path, events)
    }
  }

  /// Another file has the name now.
  package func forgetFile() {
    if fileWatch >= 0 { inotify_rm_watch(queue.number, fileWatch) }
    fileWatch = -1
  }

  package func wait(_ stop: StopSign) {
    let ready = awaitDescriptors([.input(stop.descriptor), .input(queue.number)], for: pause)
    if ready[1] { drain() }
  }

  /// Readable once something may have happened; -1 where inotify is not available.
  package var descriptor: Int32 { queue.number }

  /// How long a wait may last; nil for no limit.
  package var pause: Duration? { mustPoll ? .seconds(1) : nil }

  private var mustPoll: Bool {
    isSilent || folderWatch < 0 || !reportsChanges(folder) || isLink
  }

  /// Whether it is a link, whose target may be in a folder that is not watched.
  private var isLink: Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Takes what inotify has reported, so that the descriptor is not readable any more.
  package func drain() {
    guard queue.number >= 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while case let count = read(queue.number, buffer.baseAddress, buffer.count), count > 0 {
        var at = 0
        while at + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
          note(event)
          at += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
  }

  private func note(_ event: inotify_event) {
    let isGone = event.mask & UInt32(IN_IGNORED) != 0
    if event.wd == fileWatch, isGone { fileWatch = -1 }
    guard event.wd == folderWatch, isGone || event.mask & UInt32(IN_MOVE_SELF) != 0 else { return }
    if !isGone { inotify_rm_watch(queue.number, folderWatch) }
    folderWatch = -1
  }
}

/// Whether the file system reports every change: those on other machines, and of other programs, do not.
private func reportsChanges(_ folder: String) -> Bool {
  var status = statfs()
  guard statfs(folder, &status) == 0 else { return false }
  // NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, VirtualBox, /proc, /sys.
  let silent: Set<UInt32> = [
    0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x00c3_6400, 0x786f_4256, 0x9fa0,
    0x6265_6572,
  ]
  return !silent.contains(UInt32(truncatingIfNeeded: status.f_type))
}
