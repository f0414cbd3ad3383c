import JSON
import Testing

/// Functions beyond those of jq: units, slugs, differences of texts.
@Suite struct BuiltinExtrasTests {
  @Test(arguments: [
    Case("feet, pounds", "100", "328.0839895013123", "220.46226218487757"),
    Case("slug", #""Falcon 9 Block 5 | Starlink Group 6-14""#, #""falcon-9-block-5-starlink-group-6-14""#),
    Case(
      "text_diff(.[0]; .[1]), text_diff(null; .[0])", #"["a\nb","a\nc"]"#, #""@@ -1,2 +1,2 @@\n a\n-b\n+c""#,
      #""@@ -0,0 +1,2 @@\n+a\n+b""#),
    Case("slug", #""  Agência Espacial — Łódź's Größe!  ""#, #""agencia-espacial-lodzs-grosse""#),
  ])
  func extras(_ test: Case) throws { try test.check() }
}
