import Expectations
import JSON
import Testing

@Suite struct DatesTests {
  @Test(arguments: [
    Case("todate, (todate | fromdate)", "1767225600", #""2026-01-01T00:00:00Z""#, "1767225600"),
    Case("fromdate | todate", #""0001-01-01T00:00:00Z""#, #""0001-01-01T00:00:00Z""#),
    Case("fromdate | todate", #""9999-12-31T23:59:59Z""#, #""9999-12-31T23:59:59Z""#),
    Case("gmtime, (gmtime | mktime)", "1767225600.5", "[2026,0,1,0,0,0.5,4,0]", "1767225600"),
    Case("strptime(\"%d %b %Y %H:%M\")", #""05 Mar 2026 07:08""#, "[2026,2,5,7,8,0,4,63]"),
    Case("strftime(\"%A %j %H:%M:%S %Z\")", "1767225600", #""Thursday 001 00:00:00 GMT""#),
    Case("localtime_in(\"Europe/Warsaw\")[3]", "1767225600", "1"),
    Case("localtime_in(\"Europe/Warsaw\")[3]", "1783036800", "2"),
    Case(
      "format_time(\"%Y-%m-%d %H:%M %Z\"; \"America/New_York\")", "1767225600", #""2025-12-31 19:00 EST""#),
    Case("format_time(\"%H:%M %z\"; \"Asia/Kolkata\")", "1767225600", #""05:30 +0530""#),
    // Past the table of the zone file its closing rule holds.
    Case("format_time(\"%H %Z\"; \"Europe/Warsaw\")", "4118083200", #""02 CEST""#),
    Case(
      "dateadd(\"seconds\"; 60), datesub(\"seconds\"; 60), date", "60", "120", "0", #""1970-01-01T00:01:00Z""#
    ),
    Case("localtime, strflocaltime(\"%H %Z\")", "3600", "[1970,0,1,1,0,0,4,0]", #""01 UTC""#),
  ])
  func dates(_ test: Case) throws { try test.check() }

  @Test func localTimeIsTheZoneHandedIn() throws {
    var environment = Environment()
    environment.timeZone = "Asia/Tokyo"
    try expect(
      outputs("localtime[3], strflocaltime(\"%H:%M %Z\")", "0", environment), equals: ["9", "\"09:00 JST\""])
    environment.timeZone = "XYZ5XDT,M3.2.0,M11.1.0"
    try expect(outputs("strflocaltime(\"%H %Z\")", "0", environment), equals: ["\"19 XYZ\""])
    try expect(outputs("strflocaltime(\"%H %Z\")", "1783036800", environment), equals: ["\"20 XDT\""])
  }

  @Test func nowIsHandedIn() throws {
    var environment = Environment()
    environment.now = 1_767_225_600
    try expect(
      outputs("now, (now | todate)", "null", environment), equals: ["1767225600", "\"2026-01-01T00:00:00Z\""])
    try expect(failure("now"), equals: "now is not available here: no time was handed in")
    try expect(
      outputs(
        "map(ago) | .[]",
        #"[1767225600, 1767225540, 1767218400, 1767398400, "2025-12-31T00:00:00Z", "2027-01-01T01:00:00+01:00"]"#,
        environment),
      equals: [
        "\"just now\"", "\"1 minute ago\"", "\"2 hours ago\"", "\"in 2 days\"", "\"1 day ago\"",
        "\"in 11 months\"",
      ])
  }

  @Test func zonesComeFromTheFilesHandedIn() throws {
    var environment = Environment()
    environment.files = FileReading { path in
      path == "/usr/share/zoneinfo/Sky/Base" ? FileReading.system.read("/usr/share/zoneinfo/Asia/Tokyo") : nil
    }
    try expect(outputs("localtime_in(\"Sky/Base\")[3]", "0", environment), equals: ["9"])
    try expect(
      failure("localtime_in(\"Asia/Tokyo\")", "0", environment)?.contains("not a known"), equals: true)
  }

  /// Days of a rule against the C library's `timegm`: around the 1st of March and the turn of the year, leap years or
  /// not.
  @Test func ruleDaysAreThoseOfTheCalendar() throws {
    let program = """
      [1600, 1899, 1900, 1968, 1970, 2000, 2023, 2024, 2100, 2400][] as $year
      | [[$year, 1, 28, 23], [$year, 2, 1, 1], [$year, 11, 31, 23], [$year, 0, 1, 0]]
      | map(mktime | format_time("%Z"; "XYZ0XDT,J60/0,J365/0")) | join(" ")
      """
    expect(Set(try outputs(program)), equals: ["\"XYZ XDT XYZ XYZ\""])
  }

  @Test func mistakes() throws {
    try expect(
      failure("localtime_in(\"../etc/passwd\")", "0")?.contains("is not a known time zone"), equals: true)
    try expect(
      failure("localtime_in(\"/etc/localtime\")", "0")?.contains("is not a known time zone"), equals: true)
    try expect(failure("mktime", "[\"a\"]"), equals: "mktime requires parsed datetime inputs")
    try expect(
      failure("text_diff(1; .)", "\"a\""),
      equals: "number (1) cannot be compared by lines, as it is not a string")
    try expect(failure("1 | strftime([])"), equals: "strftime/1 requires a string format")
  }
}
