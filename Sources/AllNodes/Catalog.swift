import Connectors
import Nodes
import Engine
import Language

extension Catalog {
  /// Every node of flow, in the order in which they are listed.
  public static let all = Catalog([
    // sources
    file, stdin, http, execSource, generate, replay, sqlSource, natsSource, mqttSource, redisSource, listen,
    errorSource,
    launchLibrary, spacex,
    apod,
    // steps
    map, filter, dedupe, debounce, settle, throttle, distinctUntilChanged, changes, alarm, sort, take, skip,
    sample,
    log,
    batch, window, scan, join, enrich, delay, remind, rateLimit,
    timeout, partition,
    // sinks
    console, jsonl, csv, exec, httpSink, sqlSink, natsSink, mqttSink, redisSink, ics, feed, git, page,
    download, notify,
    metricsSink, count,
    null,
  ])
}
