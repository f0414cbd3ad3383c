// Live updates of a page: inserts the rows that the server renders, counts times down, and adds keys.
// Every page is complete without it.
const main = document.getElementById("main");
const rows = document.getElementById("rows");
const live = document.getElementById("live");
const news = document.getElementById("news");
const still = matchMedia("(prefers-reduced-motion: reduce)");

// The time of the pipelines: simulated time may pass faster than ours.
const started = performance.now();
const base = Date.parse(main.dataset.now) || Date.now();
const speed = Number(main.dataset.speed) || 1;
const now = () => base + (performance.now() - started) * speed;

// As PageTime.words.
function words(milliseconds, count, isByHour) {
  const whole = Math.floor(Math.abs(milliseconds) / 1000);
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]].slice(0, isByHour ? 2 : 4);
  const first = units.findIndex((unit) => whole >= unit[1]);
  if (first < 0) return isByHour ? "less than 1 h" : "0 s";
  const [name, size] = units[first];
  const text = `${Math.floor(whole / size)} ${name}`;
  const next = count > 1 && units[first + 1];
  if (!next) return text;
  const number = Math.floor(whole % size / next[1]);
  if (first === 2) return `${text} ${String(number).padStart(2, "0")} s`;
  return number > 0 ? `${text} ${number} ${next[0]}` : text;
}

function put(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

function tick() {
  if (document.hidden) return;
  const time = now();
  for (const element of document.querySelectorAll("[data-until]")) {
    const { until, by } = element.dataset;
    const end = Date.parse(until);
    const day = 864e5;
    const left = by === "d" ? (Math.floor(end / day) - Math.floor(time / day)) * day : end - time;
    const text = words(left, 2, by === "h");
    if (left === 0 && by === "d") put(element, "today");
    else if (left <= 0 && by === "now") put(element, "now");
    else put(element, left >= 0 ? `in ${text}` : `${text} ago`);
  }
  for (const element of document.querySelectorAll("[data-age]")) {
    put(element, `${words(time - Date.parse(element.dataset.age), 1)} ago`);
  }
  showState();
}

// The state of the connection.
let state = "";
let heardAt = 0;
function showState() {
  if (!live || !main.dataset.stream) return;
  if (state === "live") return put(live, "● live");
  const seconds = Math.round((performance.now() - heardAt) / 1000);
  put(live, heardAt && seconds > 3 ? `○ reconnecting, last update ${seconds} s ago` : "○ reconnecting");
}
function setState(name) {
  state = name;
  if (live) live.dataset.state = name;
  showState();
}

// What has arrived and is not shown yet, because it would move what is under the pointer or has the focus.
let held = null;

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

// The parts of an element that have a state, by what they say: another one may have come before them.
function parts(element) {
  const counts = {};
  return [...element.querySelectorAll(".scroll, details")].map((part) => {
    const name = part.querySelector(":scope > summary")?.textContent ?? "";
    counts[name] = (counts[name] ?? 0) + 1;
    return [`${counts[name]} ${name}`, part];
  });
}

function replace(old, made) {
  if (old.dataset.c === made.dataset.c && made.dataset.c) return false;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const place = focused ? [...old.querySelectorAll("a,button")].indexOf(focused) : -1;
  // How far tables are scrolled, and which lists are open.
  const states = new Map(parts(old).map(([name, { scrollLeft, open }]) => [name, { scrollLeft, open }]));
  old.replaceWith(made);
  for (const [name, part] of parts(made)) Object.assign(part, states.get(name));
  if (place >= 0) made.querySelectorAll("a,button")[place]?.focus({ preventScroll: true });
  return true;
}

function mark(element) {
  if (!still.matches) element.classList.add("new");
}

// Puts the rows into their order with as few moves as possible, so that the focus stays where it is.
function arrange(update) {
  const wanted = new Set(update.order);
  for (const element of [...rows.children]) if (!wanted.has(element.id)) element.remove();
  let at = rows.firstElementChild;
  for (const id of update.order) {
    let element = document.getElementById(id);
    if (!element) {
      element = update.rows[id] && fragment(update.rows[id]);
      if (!element) return location.reload();
      rows.insertBefore(element, at);
      mark(element);
    } else if (element === at) {
      at = at.nextElementSibling;
    } else {
      rows.insertBefore(element, at);
    }
  }
  const empty = document.getElementById("empty");
  if (empty) empty.hidden = update.order.length > 0;
}

function isBusy() {
  return rows.matches(":hover") || rows.contains(document.activeElement);
}

function moves(update) {
  const shown = [...rows.children].map((element) => element.id);
  return shown.length > 0 && shown.join() !== update.order.join();
}

function show(update) {
  for (const [id, html] of Object.entries(update.rows)) {
    const old = document.getElementById(id);
    const made = old && fragment(html);
    if (made && replace(old, made)) mark(made);
  }
  if (held) update = { ...update, rows: { ...held.rows, ...update.rows } };
  if (moves(update) && isBusy()) {
    held = update;
    const count = update.order.filter((id) => !document.getElementById(id)).length;
    put(news, count > 0 ? `${count} new` : "New order");
    news.hidden = false;
    return;
  }
  held = null;
  news.hidden = true;
  arrange(update);
}

news?.addEventListener("click", () => {
  if (!held) return;
  const update = held;
  held = null;
  news.hidden = true;
  arrange(update);
});

function summarize(update) {
  const old = document.getElementById("summary");
  if (old && update.summary) old.replaceWith(fragment(update.summary));
}

let source = null;
let last = main.dataset.commit;

function connect() {
  if (source || !main.dataset.stream) return;
  const address = new URL(main.dataset.stream, location);
  if (last) address.searchParams.set("since", last);
  source = new EventSource(address);
  setState("connecting");
  const heard = (event) => {
    heardAt = performance.now();
    if (event.lastEventId) last = event.lastEventId;
    setState("live");
  };
  source.addEventListener("rows", (event) => {
    const update = JSON.parse(event.data);
    heard(event);
    show(update);
    summarize(update);
    tick();
  });
  source.addEventListener("poll", (event) => {
    heard(event);
    summarize(JSON.parse(event.data));
    tick();
  });
  source.addEventListener("parts", (event) => {
    heard(event);
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const old = document.getElementById(id);
      if (old) replace(old, fragment(html));
    }
    tick();
  });
  source.addEventListener("reload", () => location.reload());
  source.addEventListener("error", () => {
    setState("reconnecting");
    // A browser gives up on an answer that is no stream; the server may be starting.
    if (source?.readyState === EventSource.CLOSED) {
      disconnect();
      setTimeout(connect, 2000);
    }
  });
}

function disconnect() {
  source?.close();
  source = null;
}

// A hidden tab holds no connection: a browser has six for each site.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return disconnect();
  connect();
  tick();
});
addEventListener("pagehide", disconnect);
addEventListener("pageshow", (event) => event.persisted && connect());

// Keys.
function move(step) {
  const titles = [...rows?.querySelectorAll("a.title") ?? []];
  const place = titles.indexOf(document.activeElement);
  titles[place < 0 ? (step > 0 ? 0 : titles.length - 1) : place + step]?.focus();
}
const keys = {
  "/": () => document.querySelector("input[type=search]")?.focus(),
  j: () => move(1),
  k: () => move(-1),
  o: () => document.activeElement?.matches("a") && document.activeElement.click(),
  g: () => document.querySelector("a.brand")?.click(),
  "?": () => document.querySelector("footer")?.scrollIntoView(),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input,select,textarea")) return event.key === "Escape" && event.target.blur();
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// A picture that cannot be loaded is a placeholder.
document.addEventListener("error", (event) => {
  if (!event.target.matches?.("img.pic")) return;
  const none = document.createElement("span");
  none.className = "pic none";
  none.ariaHidden = "true";
  event.target.replaceWith(none);
}, true);

// A choice applies at once.
document.querySelector("form.filters")?.addEventListener("change", (event) => {
  if (event.target.matches("select")) event.currentTarget.requestSubmit();
});

if (!document.hidden) connect();
tick();
setInterval(tick, 1000);
