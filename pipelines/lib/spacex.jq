# How a launch went: upcoming, success, failed, or unknown for one that was and of which nobody has said.
def spacex_outcome:
  if .upcoming then "upcoming" elif .success == true then "success" elif .success == false then "failed"
  else "unknown" end;

# The date as far as it is known: a year, a quarter, a month, a day, or a day and time.
def spacex_date:
  .date_utc as $date
  | if $date == null then null
    elif .date_precision == "year" then $date[:4]
    elif .date_precision == "half" then "\($date[:4]) H\(if $date[5:7] <= "06" then 1 else 2 end)"
    elif .date_precision == "quarter" then "\($date[:4]) Q\((($date[5:7] | tonumber) + 2) / 3 | floor)"
    elif .date_precision == "month" then $date[:7]
    elif .date_precision == "day" then $date[:10]
    else "\($date[:10]) \($date[11:16])" end;

# Whether any of the cores had flown before: true, false, or null where that is not known.
def spacex_reused:
  [.cores[]?.reused]
  | if any(. == true) then true elif length == 0 or any(. == null) then null else false end;

# What a launch looks like in our pipelines; its rocket must have been put in the place of its id.
def spacex_row:
  { name, date: spacex_date, outcome: spacex_outcome, rocket: (.rocket | if type == "object" then .name else . end),
    reused: spacex_reused, patch: .links.patch.small };
