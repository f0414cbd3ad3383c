import Expectations
import System
import Testing

@testable import Markup

@Suite struct PageScanTests {
  private func refusal(_ page: String) -> String {
    let limits = MarkupLimits()
    return flaw {
      try Array(page.utf8).withUnsafeBufferPointer { page in
        _ = try PageScan(page, limits, MarkupWatch(limits))
        return try html("x")
      }
    }
  }

  @Test(
    "elements that a browser closes by itself are not open",
    arguments: [
      "<p>x", "<li>x<div>", "<dt>x<dd><span>y", "<table><tr><td><font size=1>x</table>", "<p><span>x",
      "<a><i>x",
      "<h1>x<h2>", "<br>", "<div></div>", "<select><div>x</select>", "<svg><path/><g></g></svg>",
      "<svg><path d=x><path><p>x", "<ruby>x<rt>y</ruby>", "<title><div></title>", "<script>'<div>'</script>",
      "<div><table><tr><td></div></td></tr></table></div>", "<form>", "<button>x", "<option>x", "<img>",
      "<td>x",
    ])
  func closedElements(_ part: String) {
    expect(refusal(String(repeating: part, count: 1000)), equals: "")
    expect(refusal("<table><tr>" + String(repeating: "<td><div><font>x", count: 1000)), equals: "")
    expect(refusal("<ul>" + String(repeating: "<li><div><b>x", count: 1000)), equals: "")
  }

  @Test(
    "elements that are open are counted, and the line of the one too many is named",
    arguments: [
      "<div>", "<b>", "<ul><li>", "<table><tr><td>", "<svg><foreignObject>", "<x-y>", "<blockquote><p>",
    ])
  func openElements(_ part: String) {
    expect(
      refusal("\n" + String(repeating: part, count: 600)),
      equals: "2:-: elements are nested more than 512 deep")
    expect(refusal(String(repeating: part, count: 100)), equals: "")
  }
}
