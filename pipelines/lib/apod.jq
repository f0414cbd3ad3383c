# An address that can be opened; null where there is none.
def apod_link: if . == null or . == "" then null elif startswith("//") then "https:" + . else . end;

# What a day looks like in our pipelines: line breaks within texts gone, links whole, and what is empty null.
def apod_row:
  def line: if . == null then null else gsub("\\s+"; " ") | ltrimstr(" ") | rtrimstr(" ") end;
  { date, type: .media_type, title: (.title | line), explanation: (.explanation | line), by: (.copyright | line),
    link: ((.hdurl // .url) | apod_link),
    picture: (if .media_type == "image" then (.hdurl // .url) else .thumbnail_url end | apod_link) };

# The lines of a day, for people.
def apod_lines:
  .title // .date,
  ({ Date: .date, By: .by, Link: .link, Picture: .picture }
    | to_entries[] | select(.value != null) | "  \(.key + ":" | . + " " * (10 - length)) \(.value)"),
  (.explanation | values | "  \(.)"),
  "";
