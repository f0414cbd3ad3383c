import Fetch
import Glibc
import System

/// The pictures of pages in a folder: of each source those that events name, and the last ones, each content once.
struct PagePictures {
  /// The most pictures of a source that events name, and the most bytes of them, and of the others.
  private static let most = (count: 100, bytes: 64 << 20)
  /// The most pictures of a page that no event names: a step may still hold one that does.
  private static let mostUnnamed = 10

  private let parent: String
  /// The folder of the page, since a source may have many.
  private let folder: String

  init(_ parent: String, of source: String, page: String) {
    self.init(
      parent: "\(parent)/\(source.replacing("/", by: "_"))", folder: StableHash(Array(page.utf8)).digits)
  }

  private init(parent: String, folder: String) {
    (self.parent, self.folder) = (parent, "\(parent)/\(folder)")
  }

  /// The pictures of pages that have failed, which are none of what was before.
  var ofFailures: PagePictures { PagePictures(parent: parent, folder: "failed") }

  /// Keeps a picture, and knows the one before; old ones go.
  func keep(_ picture: [UInt8]) throws(FileFailure) -> KeptPicture {
    let path = "\(folder)/\(KeptPicture.name(of: picture))"
    let before = pictures("\(folder)/*.png").first?.path
    // Again where it is there already, so that it is the newest.
    if utimes(path, nil) != 0 {
      try WholeFile(path: path, mode: 0o600, syncs: false, disk: SystemDisk()).write(picture)
    }
    prune(except: [path, before])
    return KeptPicture(path: path, before: before)
  }

  private struct File {
    let path: String
    let size: Int
    let time: Int
    let isNamed: Bool
  }

  /// The files of patterns, newest first.
  private func pictures(_ patterns: String...) -> [File] {
    patterns.flatMap { (try? Glob.expand($0)) ?? [] }.compactMap { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return File(
        path: path, size: Int(status.st_size),
        time: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec,
        isNamed: status.st_mode & 0o777 == KeptPicture.named)
    }
    .sorted { $0.time > $1.time }
  }

  private func prune(except present: [String?]) {
    var (named, bytes) = (0, [true: 0, false: 0])
    var unnamed: [String: Int] = [:]
    for picture in pictures("\(parent)/*.png", "\(parent)/*/*.png") {
      let page = splitPath(picture.path).folder
      // One of an earlier version, which lies outside of the folder of a page, may have been named.
      let isNamed = picture.isNamed || page == parent
      bytes[isNamed, default: 0] += picture.size
      if isNamed { named += 1 } else { unnamed[page, default: 0] += 1 }
      let isKept =
        bytes[isNamed, default: 0] <= Self.most.bytes
        && (isNamed ? named <= Self.most.count : unnamed[page, default: 0] <= Self.mostUnnamed)
      if isKept || present.contains(picture.path) { continue }
      unlink(picture.path)
      // Only where it was the last one.
      rmdir(page)
    }
  }
}
