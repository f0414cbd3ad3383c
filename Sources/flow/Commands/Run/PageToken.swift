import Engine
import Language
import Store
import System

/// The token of pages that other machines can reach: the same at each start, so that a bookmark stays.
enum PageToken {
  static let variable = "FLOW_PAGE_TOKEN"
  private static let least = 16

  /// The token of the variable; nil where it is not set.
  static func given() throws(WrongUse) -> String? {
    guard let token = Terminal.environment(variable), !token.isEmpty else { return nil }
    let isPlain = token.utf8.allSatisfy { isWordByte($0) || "-._~".utf8.contains($0) }
    if isPlain, token.utf8.count >= least { return token }
    throw WrongUse("\(variable) needs at least \(least) letters, digits and - . _ ~")
  }

  /// The token that is kept in a folder of states, which is made where there is none.
  static func kept(in folder: String) throws(Sentence) -> String {
    let file = WholeFile(
      path: "\(folder)/page-token", mode: 0o600, syncs: false, disk: SystemDisk(), makesFolders: false)
    do {
      if let bytes = try file.read() {
        let token = String(decoding: bytes, as: UTF8.self).prefix { !$0.isWhitespace }
        if token.utf8.count >= least { return String(token) }
      }
      let made = random()
      try StateFolder.make(for: file.path, file.disk)
      try file.write(Array("\(made)\n".utf8))
      return made
    } catch {
      throw Sentence("the token of the page is not kept: \(error)")
    }
  }

  /// 128 random bits.
  static func random() -> String {
    var random = SystemRandomNumberGenerator()
    return String(random.next(), radix: 36) + String(random.next(), radix: 36)
  }

  /// The folder where it is kept; nil without state.
  static func folder(_ arguments: Arguments) -> String? {
    arguments.text(StateCommand.folder) ?? StateFolder.standard { Terminal.environment($0) }
  }
}
