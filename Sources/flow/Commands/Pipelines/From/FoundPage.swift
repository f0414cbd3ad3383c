import Fetch
import System

/// A page that a service shows in place of what was asked for, with the status of a success: to sign in, or an error.
enum FoundPage {
  private static let signIn = [
    "sign in", "signin", "sign-in", "log in", "login", "log-in", "log on", "logon", "please sign in",
    "please log in", "authentication required", "anmelden", "anmeldung", "einloggen", "connexion",
    "se connecter", "iniciar sesión", "accedi", "inloggen", "logowanie", "zaloguj się",
  ]
  private static let errors = [
    "error", "access denied", "forbidden", "unauthorized", "not found", "page not found", "bad gateway",
    "bad request", "service unavailable", "gateway timeout", "gateway time-out", "internal server error",
    "too many requests", "maintenance", "under maintenance", "just a moment...", "attention required!",
    "are you a robot?", "robot check", "request rejected", "site not found", "application error",
  ]

  /// The flaw of a page with this title, as a sentence about what to do; nil for one that may be meant.
  static func flaw(title: String?) -> String? {
    guard let title else { return nil }
    // The name of the site is before or behind it.
    let parts = title.lowercased().split { "|·–—:".contains($0) }.flatMap(parts).map(trimmed)
    if parts.contains(where: { part in
      signIn.contains { part == $0 || part.hasPrefix("\($0) to ") || part.hasPrefix("\($0) with ") }
    }) {
      return
        "it is a page to sign in, titled “\(title)”, and not what is behind it: with a token, --bearer NAME, the variable "
        + "of the environment that has it; else --from-curl 'curl …' as a browser copies it once you are signed in"
    }
    // As in `502 Bad Gateway` and `Error 404`.
    let words = parts.map { part in
      part.split(separator: " ").filter { Int($0) == nil }.joined(separator: " ")
    }
    if words.contains(where: errors.contains) {
      return
        "it is a page about an error, titled “\(title)”, though its status is that of a success: the address may be another "
        + "one, or the service refuses programs"
    }
    return nil
  }

  /// Whether a page with this text is empty but for its scripts.
  static func isShell(_ page: [UInt8], text: String?) -> Bool {
    guard let text, text.count < 200 else { return false }
    return String(decoding: page, as: UTF8.self).has("<script")
  }

  /// The parts between dashes with spaces around them.
  private static func parts(_ text: Substring) -> [String] {
    var parts = [""]
    for word in text.split(separator: " ") {
      if word == "-" { parts.append("") } else { parts[parts.count - 1] += " \(word)" }
    }
    return parts
  }

  private static func trimmed(_ text: String) -> String {
    text.split(separator: " ").joined(separator: " ")
  }
}
