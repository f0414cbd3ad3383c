# The main webcast of a launch: the official one, else the one with the highest priority; null where there is none.
def launch_video:
  (.vid_urls // .vidURLs // [])
  | map(if type == "string" then { url: ., priority: 0 } else . end)
  | (map(select(.type.name? == "Official Webcast")) + sort_by(-(.priority // 0)))[0].url // null;

# The seconds since 1970 of a moment in ISO 8601, with a fraction of a second or without.
def seconds: if type == "string" then sub("\\.[0-9]+Z$"; "Z") | fromdate else . end;

# A moment in the pipeline's time zone: 2026-01-02 13:45. The input is in seconds since 1970, or in ISO 8601.
def local_time: seconds | strflocaltime("%Y-%m-%d %H:%M");

# The same with the name of the zone, for the start of a line: 2026-01-02 13:45 CET.
def zoned_time: seconds | strflocaltime("%Y-%m-%d %H:%M %Z");

# The status in the short form that people know: Go, TBD, Hold, Success.
def launch_status: .status | if type == "object" then .abbrev // .name // null else . end;

# Whether the launch of a row has lifted off.
def has_flown: .status | IN("In Flight", "Success", "Failure", "Partial Failure", "Payload Deployed");

# How precisely the time is known, as numbered by the service: up to 2 by the hour or better, 3 and 4 the half day, 5 the
# day, 6 the week, 7 the month, 8 to 11 the quarter, 12 and 13 the half year, 14 and more the year.
#
# Version 2.0.0 has two flags instead, and 2.2.0 once had nothing. Both set the time of a launch that has no date to the
# midnight (UTC) at the end of its month or year, whatever the flags say. A launch that is Go or has flown has its time,
# also where a flag was left behind.
def launch_precision:
  def is_dated: . == "Go" or ({ status: . } | has_flown);
  def is_last_day: (.[:10] + "T00:00:00Z" | fromdate + 86400 | todate)[8:10] == "01";
  launch_status as $status | .net as $net | (.window_start // $net) as $start | (.window_end // $net) as $end
  | .precision // .net_precision.id?
    // if $net == null then 16
      elif ($status | is_dated) and $net[11:19] != "00:00:00" and $start <= $net and $net <= $end
        and ($end | fromdate) - ($start | fromdate) < 43200 then 1
      elif ($status | is_dated | not) and $net[11:19] == "00:00:00" and ($net | is_last_day)
        and ($status != null or .tbddate == true) then (if $net[5:7] == "12" then 14 else 7 end)
      elif .tbddate == true then 7
      elif .tbdtime == true or ($status == "TBD" and $net[11:19] == "00:00:00") then 5
      else 1 end;

# The precision of a row in a word, as pages show times.
def launch_precision_word:
  .precision as $p
  | if . == null or $p == null then null elif $p == 0 then "second" elif $p == 1 then "minute" elif $p == 2 then "hour"
    elif $p <= 5 then "day" elif $p == 6 then "week" elif $p == 7 then "month" elif $p <= 11 then "quarter"
    elif $p <= 13 then "half" else "year" end;

# Whether the time of a row is known by the hour or better, so that one can be reminded of it.
def is_exact: .precision <= 2 and .net != null;

# Whether the launch of a row is still ahead. The service reports a lift-off minutes late, so a launch that is Go has flown
# when its time has come.
def is_ahead: (has_flown | not) and (.status != "Go" or (is_exact | not) or (.net | fromdate) > $now);

# How long it is until a time, in words: 1d, 23h 59m, 8m, 30s. The input is in seconds.
def time_left:
  round
  | if . < 60 then "\(.)s"
    else
      (. / 60 | round) as $minutes
      | [$minutes / 1440, $minutes / 60 % 24, $minutes % 60 | floor] as [$d, $h, $m]
      | [if $d > 0 then "\($d)d" else empty end, if $h > 0 then "\($h)h" else empty end,
         if $m > 0 then "\($m)m" else empty end]
      | join(" ")
    end;

# A length of time in the two largest units that matter: 3 d 4 h, 2 h 24 min, 8 min, 30 s. The input is in seconds.
def time_span:
  fabs | round
  | if . < 60 then "\(.) s"
    else
      (. / 60 | round) as $minutes
      | [$minutes / 1440, $minutes / 60 % 24, $minutes % 60 | floor] as [$d, $h, $m]
      | if $d > 0 then [$d, "d", $h, "h"] elif $h > 0 then [$h, "h", $m, "min"] else [$m, "min", 0, ""] end
      | "\(.[0]) \(.[1])" + if .[2] > 0 then " \(.[2]) \(.[3])" else "" end
    end;

# When it is to start, as far as that is known: the time in the pipeline's zone, or the day, month, quarter or year, which
# are those of no zone: 2026-01-02 13:45, 2026-01-02, 2026-01, 2026 Q1.
def launch_when:
  launch_precision as $precision | .net as $net
  | if $net == null then null
    elif $precision <= 2 then $net | local_time
    elif $precision <= 5 then $net[:10]
    elif $precision == 6 then $net[:10] + " (week)"
    elif $precision == 7 then $net[:7]
    elif $precision <= 11 then "\($net[:4]) Q\($precision - 7)"
    elif $precision <= 13 then "\($net[:4]) H\($precision - 11)"
    else $net[:4] end;

# What a launch looks like in our pipelines: a flat row of what people ask about, whichever version of the service it
# is from.
def launch_row:
  { id, name, net, precision: launch_precision,
    status: launch_status,
    provider: (.launch_service_provider.name? // .lsp_name),
    pad: (.pad | if type == "object" then .name else . end),
    video: launch_video };

# By how many seconds a change moves a launch whose times are exact: more than 0 for a slip. Null for any other change.
def slip:
  if .type == "changed" and (.before | is_exact) and (.after | is_exact)
  then (.after.net | seconds) - (.before.net | seconds) | if . == 0 then null else . end
  else null end;

# The colour of the line of a change: of what is new, of slips, of a launch that left the list.
def change_color:
  { added: "green", removed: "dim" }[.type] // (slip | if . == null then null elif . > 0 then "yellow" else "cyan" end);

# What has changed of such a row. The amount of a slip is the difference of the two times as they are shown: by the
# minute, or to the second where a time moved within its minute.
def change_text:
  .before as $before | .after as $after | slip as $slip
  | [.diff[] | select(.path != "/precision")
      | if .path == "/net" then
          [$before, $after | launch_when // "–"]
          | (.[0] != .[1]) as $is_by_minute
          | if $is_by_minute then .
            elif $slip then [$before, $after | .net | seconds | strflocaltime("%Y-%m-%d %H:%M:%S")]
            else [$before.net, $after.net] end
          | "net \(.[0]) → \(.[1])"
            + if $slip == null then ""
              else
                (if $is_by_minute then [$after, $before | .net | seconds / 60 | floor * 60] | .[0] - .[1] else $slip end)
                | if . > 0 then ", slipped \(time_span)" else ", \(time_span) earlier" end
              end
        else "\(.path[1:]) \(.before // "–") → \(.after // "–")" end]
  | join(", ");

# One line about a change of such a row.
def change_line:
  ((.after // .before).name // "a launch without a name") as $name
  | if .type == "added" then "new: \($name), \(.after | launch_when // "no date")"
    elif .type == "removed" then "gone from the list: \($name)"
    else "\($name): \(change_text)" end;

# A text that says something, its lines ending as lines do; null for an empty one, and for a placeholder.
def launch_text:
  if type != "string" then null
  else gsub("\r\n?"; "\n") | sub("\\s+\\z"; "") | if IN("", "Details TBD.") then null else . end end;

# Where a pad is on a map; null where that is not known.
def pad_map:
  if type != "object" then null
  else (.map_url | launch_text)
    // if .latitude == null or .longitude == null then null
       else "https://maps.apple.com/?ll=\(.latitude),\(.longitude)&z=12" end
  end;

# A member of an object; of anything else, null.
def of($name): if type == "object" then .[$name] else null end;

# All that people ask about a launch. The video, and often the picture of the rocket, are only in a launch's own record.
def launch_card:
  (.rocket | of("configuration")) as $rocket
  | (.mission | if type == "string" then { name: . } else . end) as $mission
  | (.pad | if type == "string" then { name: . } else . end) as $pad
  | launch_row
    + { when: launch_when, title: (.name | if . == null then null else split(" | ")[0] end),
        rocket: ($rocket | of("full_name") // of("name")),
        mission: ($mission | of("name")), mission_type: ($mission | of("type") // null),
        orbit: ($mission | of("orbit") | of("name")), about: ($mission | of("description") | launch_text),
        location: ($pad | of("location") | of("name")), map: ($pad | pad_map),
        latitude: ($pad | of("latitude") | if . == null then . else tonumber? // null end),
        longitude: ($pad | of("longitude") | if . == null then . else tonumber? // null end),
        image: (.image | of("image_url") // . | launch_text),
        rocket_image: ($rocket | of("image_url") // (of("image") | of("image_url")) | launch_text),
        start: .window_start, end: .window_end, updated: .last_updated, link: .url }
      # The short list has these two by other names.
      + if .mission_type then { mission_type } else {} end
      + if .location | type == "string" then { location } else {} end;

# The lines of a card, for people.
def launch_card_lines:
  .name // "(no name)",
  ({ When: .when, Status: .status, Provider: .provider, Rocket: .rocket, Mission: .mission_type, Orbit: .orbit, Pad: .pad,
     Place: .location, Map: .map, Picture: (.rocket_image // .image), Video: .video }
    | to_entries[] | select(.value != null) | "  \(.key + ":" | . + " " * (10 - length)) \(.value)"),
  (.about // empty | split("\n")[] | "  \(.)"),
  "";
