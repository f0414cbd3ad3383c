/// The frame of every page: head, navigation, foot.
package struct PageFrame: Sendable {
  let title: String
  let views: [PageView]
  /// The view shown, for the navigation.
  var current: PageView?
  /// Where the page's updates come from, and the commit that it shows.
  var stream: (link: Link, commit: String?)?
  var now: Double
  var speed = 1.0

  package func document(_ body: (inout HTML) -> Void) -> HTML {
    var html = HTML()
    html.doctype()
    html.tag("html", .set(.lang, "en")) { html in
      html.tag("head") { html in
        html.void("meta", .set(.charset, "utf-8"))
        html.void("meta", .set(.name, "viewport"), .set(.content, "width=device-width, initial-scale=1"))
        html.void("meta", .set(.name, "color-scheme"), .set(.content, "light dark"))
        html.tag("title") { $0.text(title == "flow" ? title : "\(title) · flow") }
        html.void("link", .set(.rel, "icon"), .set(.type, "image/svg+xml"), .href(PageAsset.icon.link))
        html.void("link", .set(.rel, "stylesheet"), .href(PageAsset.style.link))
        if let current {
          html.void(
            "link", .set(.rel, "alternate"), .set(.type, "application/atom+xml"),
            .set(.title, current.form.name),
            .href(Link(path: ["v", current.path[0], current.path[1] + ".atom"])))
        }
        html.tag("script", .set(.type, "module"), .src(PageAsset.script.link))
      }
      html.tag("body") { html in
        html.tag("a", .class("skip"), .href(.anchor("main"))) { $0.text("Skip to the content") }
        header(&html)
        html.tag(
          "main", .id("main"), .set(.tabindex, "-1"), stream.map { .stream($0.link) },
          stream?.commit.map { .commit($0) }, .now(PageTime.machine(now)), .speed(speed), content: body)
        footer(&html)
      }
    }
    return html
  }

  /// A document in two parts: its beginning, which is sent at once, and the rest, which is made when that has been sent.
  package struct Parts: Sendable {
    let beginning: HTML
    let rest: @Sendable () -> HTML

    package var whole: HTML {
      var html = beginning
      html.append(rest())
      return html
    }
  }

  /// The same document in parts: a browser can load the style while the content is made.
  package func parts(_ body: @escaping @Sendable (inout HTML) -> Void) -> Parts {
    var place = 0
    let (beginning, end) = document { place = $0.bytes.count }.split(at: place)
    return Parts(beginning: beginning) {
      var html = HTML()
      body(&html)
      html.append(end)
      return html
    }
  }

  /// A menu of more views would fill a screen; the overview has all of them.
  private static let mostViews = 12

  private func header(_ html: inout HTML) {
    let shown = views.count > Self.mostViews ? views.filter { $0.pipeline == current?.pipeline } : views
    html.tag("header") { html in
      html.tag("a", .class("brand"), .href(Link(path: [])), current == nil ? .set(.ariaCurrent, "page") : nil)
      {
        $0.text("flow")
      }
      html.tag("nav", .set(.ariaLabel, "Views")) { html in
        html.tag("ul") { html in
          for view in shown {
            html.tag("li") { html in
              html.tag(
                "a", .href(Link(path: ["v"] + view.path)),
                view === current ? .set(.ariaCurrent, "page") : nil
              ) { $0.text(view.form.name) }
            }
          }
          if shown.count < views.count {
            html.tag("li") { html in
              html.tag("a", .href(Link(path: []))) { $0.text("All \(views.count) views") }
            }
          }
        }
      }
      // Without the script the page is as of its time; with it, the script says whether it is live.
      if stream != nil {
        html.tag("p", .id("live"), .set(.role, "status")) { html in
          html.text("as of \(PageTime.clock(now)) UTC")
        }
      }
    }
  }

  private func footer(_ html: inout HTML) {
    html.tag("footer") { html in
      if speed != 1 { html.tag("p") { $0.text("Simulated: this is not the real sky.") } }
      html.tag("p") { html in
        html.text("Times are in UTC. Keys: ")
        for (key, what) in [
          ("/", "search"), ("j", "next"), ("k", "previous"), ("o", "open"), ("g", "overview"),
        ] {
          html.tag("kbd") { $0.text(key) }
          html.text(" \(what) ")
        }
      }
    }
  }
}

extension PageTime {
  /// A moment in ISO 8601, with seconds.
  static func machine(_ seconds: Double) -> String {
    PageTime(.number(seconds.rounded(.down)), precision: "second")?.machine ?? ""
  }

  /// The time of day of a moment: `13:45:10`.
  static func clock(_ seconds: Double) -> String { String(machine(seconds).dropFirst(11).prefix(8)) }
}
