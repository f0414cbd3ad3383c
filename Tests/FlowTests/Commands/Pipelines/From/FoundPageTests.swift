import Testing

@testable import flow

@Suite struct FoundPageTests {
  @Test(
    "a page to sign in is known by its title",
    arguments: [
      "Sign in", "Sign in · GitLab", "Log in | Acme", "Login - Acme Wiki", "Acme: Login",
      "Anmelden – Intranet",
      "Sign in to your account", "Sign in with Google",
    ])
  func signIn(_ title: String) {
    #expect(FoundPage.flaw(title: title)?.hasPrefix("it is a page to sign in, titled “\(title)”") == true)
  }

  @Test(
    "a page about an error too",
    arguments: [
      "502 Bad Gateway", "Error 404", "Just a moment...", "Access Denied", "Not Found | Acme",
      "404 Not Found",
      "Attention Required! | Cloudflare", "Page not found · GitHub Pages",
    ])
  func error(_ title: String) {
    #expect(FoundPage.flaw(title: title)?.hasPrefix("it is a page about an error") == true)
  }

  @Test(
    "other titles are those of pages",
    arguments: [
      nil, "", "Error handling in Swift", "How to sign in twice", "Login history", "Maintenance of bridges",
      "Prices", "Lost and not found", "Well-known errors",
    ])
  func others(_ title: String?) {
    #expect(FoundPage.flaw(title: title) == nil)
  }

  @Test("a page is an empty shell where it has scripts and hardly any text")
  func shell() {
    let page = Array("<div id=app></div><script src=/app.js></script>".utf8)
    #expect(FoundPage.isShell(page, text: "Loading"))
    #expect(!FoundPage.isShell(page, text: nil))
    #expect(!FoundPage.isShell(page, text: String(repeating: "word ", count: 50)))
    #expect(!FoundPage.isShell(Array("<p>short".utf8), text: "short"))
  }
}
