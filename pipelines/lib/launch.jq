# The main webcast of a launch: the official one, else the one with the highest priority; null where there is none.
def launch_video:
  (.vid_urls // .vidURLs // [])
  | map(if type == "string" then { url: ., priority: 0 } else . end)
  | (map(select(.type.name? == "Official Webcast")) + sort_by(-(.priority // 0)))[0].url // null;

# What a launch looks like in our pipelines: a flat row of what people ask about, whichever version of the service it
# is from.
def launch_row:
  { id, name, net,
    status: (.status.abbrev? // .status.name?),
    provider: (.launch_service_provider.name? // .lsp_name),
    pad: (.pad | if type == "object" then .name else . end),
    video: launch_video };

# One line about a change of such a row.
def change_line:
  (.after // .before).name as $name
  | if .type == "added" then "new: \($name), \(.after.net)"
    elif .type == "removed" then "gone from the list: \($name)"
    else "\($name): " + ([.diff[] | "\(.path[1:]) \(.before // "–") → \(.after // "–")"] | join(", "))
    end;

# How precisely the time is known: up to 4 by the hour or better, 5 the day, 6 the week, 7 the month, 8 to 11 the
# quarter, 12 and 13 the half year, 14 and more the year.
def launch_precision:
  .net_precision.id? // (if .tbddate? == true then 7 elif .tbdtime? == true then 5 else 1 end);

# When it is to start, as far as that is known: in a time zone if by the hour, else the day, month, quarter or year.
def launch_when($zone):
  launch_precision as $precision | .net as $net
  | if $net == null then null
    elif $precision <= 4 then $net | fromdate | format_time("%Y-%m-%d %H:%M"; $zone)
    elif $precision <= 6 then $net[:10]
    elif $precision == 7 then $net[:7]
    elif $precision <= 11 then "\($net[:4]) Q\($precision - 7)"
    elif $precision <= 13 then "\($net[:4]) H\($precision - 11)"
    else $net[:4] end;

# When it is to start, as a time in a zone whatever is known of it, with how far that is where it is no exact time:
# 2026-12-31 01:00 (Q4).
def launch_time($zone):
  launch_precision as $precision | .net as $net
  | if $net == null then null
    else
      ($net | fromdate | format_time("%Y-%m-%d %H:%M"; $zone))
      + if $precision <= 4 then ""
        elif $precision == 5 then " (day)"
        elif $precision == 6 then " (week)"
        elif $precision == 7 then " (month)"
        elif $precision <= 11 then " (Q\($precision - 7))"
        elif $precision <= 13 then " (H\($precision - 11))"
        else " (year)" end
    end;

# A text that says something; null for an empty one, and for what stands where nobody knows yet.
def launch_text: if type == "string" and . != "" and . != "Details TBD." then . else null end;

# Where a pad is on a map; null where nobody knows.
def pad_map:
  if type != "object" then null
  else (.map_url | launch_text)
    // if .latitude == null or .longitude == null then null
       else "https://maps.apple.com/?ll=\(.latitude),\(.longitude)&z=12" end
  end;

# A member of an object; of anything else, null.
def of($name): if type == "object" then .[$name] else null end;

# All that people ask about a launch; its time is told in a time zone. The video, and often the picture of the rocket,
# are there where it was asked for by itself.
def launch_card($zone):
  (.rocket | of("configuration")) as $rocket
  | (.mission | if type == "string" then { name: . } else . end) as $mission
  | (.pad | if type == "string" then { name: . } else . end) as $pad
  | launch_row
    + { when: launch_when($zone), precision: launch_precision, title: (.name | split(" | ") | .[0]),
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
  .name,
  ({ When: .when, Status: .status, Provider: .provider, Rocket: .rocket, Mission: .mission_type, Orbit: .orbit, Pad: .pad,
     Place: .location, Map: .map, Picture: (.rocket_image // .image), Video: .video }
    | to_entries[] | select(.value != null) | "  \(.key + ":" | . + " " * (10 - length)) \(.value)"),
  (.about | values | "  \(.)"),
  "";
