# An address that can be opened; null where there is none.
def apod_link: if . == null or . == "" then null elif startswith("//") then "https:" + . else . end;

# A text on one line; null for none and for an empty one.
def apod_line: if . == null then null else gsub("\\s+"; " ") | trim | if . == "" then null else . end end;

# What a day looks like in our pipelines: line breaks within texts gone, links whole, and what is empty null.
def apod_row:
  { date, type: .media_type, title: (.title | apod_line), explanation: (.explanation | apod_line), by: (.copyright | apod_line),
    link: ((.hdurl | apod_link) // (.url | apod_link)),
    picture: (if .media_type == "image" then (.hdurl | apod_link) // (.url | apod_link) else .thumbnail_url | apod_link end) };

# The lines of a day, for people.
def apod_lines:
  .title // .date,
  ({ Date: .date, By: .by, Link: .link, Picture: .picture }
    | to_entries[] | select(.value != null) | "  \(.key + ":" | . + " " * (10 - length)) \(.value)"),
  (.explanation // empty | "  \(.)"),
  "";
