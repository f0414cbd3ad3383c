/// The form of a view: what the sink's options say about all of its rows.
package struct PageForm: Sendable {
  package enum Layout: String, CaseIterable, Sendable { case list, cards, board, table, album, log }

  package enum Units: String, CaseIterable, Sendable { case metric, imperial }

  package var layout: Layout
  package var name: String
  package var summary: String
  package var isDescending: Bool
  package var perPage: Int
  /// The units shown unless a reader chooses others; nil where the rows have none.
  package var units: Units?

  package init(
    layout: Layout, name: String, summary: String = "", isDescending: Bool = false, perPage: Int = 20,
    units: Units? = nil
  ) {
    self.layout = layout
    self.name = name
    self.summary = summary
    self.isDescending = isDescending
    self.perPage = perPage
    self.units = units
  }
}
