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
  /// The name of the small charts of its rows; nil where they have none.
  package var spark: String?
  /// Whether its rows can have a time and a status, which are columns of a table.
  package var (hasTime, hasStatus) = (true, true)
  /// Whether its rows have pictures.
  package var hasPicture = false

  /// The headings of a table's columns of its own.
  static let (name, time, status) = ("Name", "Time", "Status")

  package init(
    layout: Layout, name: String, summary: String = "", isDescending: Bool = false, perPage: Int = 20,
    units: Units? = nil, spark: String? = nil
  ) {
    self.layout = layout
    self.name = name
    self.summary = summary
    self.isDescending = isDescending
    self.perPage = perPage
    self.units = units
    self.spark = spark
  }
}
