import Fetch
import Glibc
import System

/// The pictures of pages in a folder: of each source the last ones, each content once.
struct PagePictures {
  /// The most pictures of a source, and the most bytes of them.
  private static let most = (count: 100, bytes: 64 << 20)

  private let folder: String

  init(_ parent: String, of source: String) {
    folder = "\(parent)/\(source.replacing("/", by: "_"))"
  }

  /// Keeps a picture and returns its path; old ones go.
  func keep(_ picture: [UInt8]) throws(FileFailure) -> String {
    let path = "\(folder)/\(KeptPicture.name(of: picture))"
    // Again where it is there already, so that it is the newest.
    try WholeFile(path: path, mode: 0o600, syncs: false, disk: SystemDisk()).write(picture)
    prune()
    return path
  }

  private func prune() {
    var all: [(path: String, size: Int, time: Int)] = []
    for path in (try? Glob.expand("\(folder)/*.png")) ?? [] {
      var status = stat()
      if stat(path, &status) == 0 {
        all.append(
          (path, Int(status.st_size), status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec))
      }
    }
    var (count, bytes) = (0, 0)
    for picture in all.sorted(by: { $0.time > $1.time }) {
      count += 1
      bytes += picture.size
      if count > 1, count > Self.most.count || bytes > Self.most.bytes { unlink(picture.path) }
    }
  }
}
