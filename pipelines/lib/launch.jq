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
