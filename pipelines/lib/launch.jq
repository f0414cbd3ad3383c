# What a launch looks like in our pipelines: a flat row of what people ask about.
def launch_row:
  { id, name, net,
    status: .status.abbrev,
    provider: .launch_service_provider.name,
    pad: .pad.name,
    video: (.vid_urls[0].url // null) };

# One line about a change of such a row.
def change_line:
  (.after // .before).name as $name
  | if .type == "added" then "new: \($name), \(.after.net)"
    elif .type == "removed" then "gone from the list: \($name)"
    else "\($name): " + ([.diff[] | "\(.path[1:]) \(.before // "–") → \(.after // "–")"] | join(", "))
    end;
