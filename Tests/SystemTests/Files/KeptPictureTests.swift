import Expectations
import System
import TestSupport
import Testing

@Suite struct KeptPictureTests {
  @Test("a picture is read by a path that names its content, and no other file is")
  func read() throws {
    let folder = try TemporaryFolder()
    let name = KeptPicture.name(of: Array("picture".utf8))
    try folder.write(name, "picture")
    try folder.write("other.png", "picture")
    expect(KeptPicture.read(folder[name]), equals: Array("picture".utf8))
    for path in [folder["other.png"], folder["gone.png"], "/etc/passwd", name, ""] {
      expectNil(KeptPicture.read(path))
    }
    try folder.write(name, "changed")
    expectNil(KeptPicture.read(folder[name]))
  }
}
