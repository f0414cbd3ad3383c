'use strict';
// Pointing at the picture of a page. What is alike, what finds it, the rows and the pipeline come from flow.

const colors = ['#1b8a3c', '#b25c00', '#7a3df0', '#007f8c', '#c2255c', '#6b6b00', '#8a4b2a', '#3b5bdb'];
const kinds = ['text', 'number', 'date', 'link', 'picture'];
const get = id => document.getElementById(id);
const make = (tag, values, ...content) => {
  const element = Object.assign(document.createElement(tag), values);
  element.append(...content);
  return element;
};
let page, draft, isEntries = true, at = -1, turn = 0;

async function send(path, body) {
  const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

function fail(error) {
  get('say').textContent = error instanceof TypeError ? 'flow has ended: start it again' : error.message;
}

// The newest question counts.
async function update(change) {
  const own = ++turn;
  try {
    const found = await send('draft', { select: draft?.select, fields: draft?.fields, ...change });
    if (own !== turn) return;
    if (found.problem) throw new Error(found.problem);
    draft = found;
    show();
  } catch (error) { fail(error); }
}

// The picture

function box(number, color) {
  const [x, y, width, height] = page.boxes[number];
  const mark = document.createElement('div');
  Object.assign(mark.style, {
    left: `${x / page.width * 100}%`, top: `${y / page.height * 100}%`,
    width: `${width / page.width * 100}%`, height: `${height / page.height * 100}%`,
  });
  if (color) Object.assign(mark.style, { outlineColor: color, background: `${color}1f` });
  return mark;
}

const isIn = (number, x, y) => {
  const [left, top, width, height] = page.boxes[number];
  return x >= left && y >= top && x < left + width && y < top + height;
};

// The smallest element there; of equal ones the innermost.
function find(event) {
  const sheet = get('sheet').getBoundingClientRect();
  const x = (event.clientX - sheet.left) / sheet.width * page.width;
  const y = (event.clientY - sheet.top) / sheet.height * page.height;
  const size = number => page.boxes[number][2] * page.boxes[number][3];
  let best = -1;
  page.boxes.forEach((it, number) => {
    if (it.length && isIn(number, x, y) && (best < 0 || size(number) <= size(best))) best = number;
  });
  return best;
}

function above(number) {
  const all = [];
  for (let it = number; it >= 0; it = page.boxes[it][4]) all.push(it);
  return all;
}

function hover(number) {
  at = number;
  const marks = get('hover');
  marks.replaceChildren();
  if (at < 0) return;
  const inEntry = above(at).some(it => draft?.entries.includes(it));
  const group = isEntries ? page.groups.find(it => above(at).some(number => it.includes(number))) : null;
  for (const it of group ?? [at]) marks.append(box(it));
  const label = page.labels[at] || 'no text';
  get('say').textContent = isEntries ? `${group ? `${group.length} alike` : 'nothing alike'}: ${label}`
    : inEntry ? label : `outside of the entries: ${label}`;
}

function choose() {
  if (at < 0) return;
  if (!isEntries) return update({ add: at });
  update({ element: at, fields: null });
  point(false);
}

function point(entries) {
  isEntries = entries;
  at = -1;
  get('entries').setAttribute('aria-pressed', entries);
  get('parts').setAttribute('aria-pressed', !entries);
  get('hover').replaceChildren();
  get('say').textContent = entries ? 'Point at one entry of the list' : 'Point at a part of an entry to add a field';
}

// Up and down go to the elements beside, left out of one, right into it.
function move(key) {
  const all = page.boxes.map((it, number) => number).filter(number => page.boxes[number].length);
  if (at < 0) return draft?.entries[0] ?? all[0];
  const parent = page.boxes[at][4];
  if (key === 'ArrowLeft') return parent >= 0 ? parent : at;
  if (key === 'ArrowRight') return all.find(number => page.boxes[number][4] === at) ?? at;
  const beside = all.filter(number => page.boxes[number][4] === parent);
  return beside[beside.indexOf(at) + (key === 'ArrowDown' ? 1 : -1)] ?? at;
}

// The pipeline

const text = value => value === null ? 'null' : typeof value === 'object' ? JSON.stringify(value) : String(value);

function fieldLine(field, number) {
  const set = change => update({ fields: draft.fields.map((it, place) => place === number ? { ...it, ...change } : it) });
  const label = `${field.name}: `;
  const swatch = make('i');
  swatch.style.background = colors[number % colors.length];
  const choice = make('select', { id: `kind-${number}`, ariaLabel: `${label}what it is`, onchange: event => set({ kind: event.target.value }) },
    ...kinds.map(it => make('option', { value: it, selected: it === field.kind }, it)));
  return make('li', { className: field.error || !field.hits ? 'bad' : '' }, swatch,
    make('input', { id: `name-${number}`, value: field.name, ariaLabel: `Name of field ${number + 1}`, onchange: event => set({ name: event.target.value }) }),
    choice,
    make('input', { id: `field-${number}`, className: 'field', value: field.field, spellcheck: false, ariaLabel: `${label}selector`,
      onchange: event => set({ field: event.target.value }) }),
    make('output', { title: field.error ?? '' }, field.error ? 'no selector' : `${field.hits} of ${draft.count}`),
    make('button', { id: `drop-${number}`, ariaLabel: `Remove ${field.name}`, onclick: () => update({ fields: draft.fields.filter((it, place) => place !== number) }) }, '×'));
}

function show() {
  const focused = document.activeElement?.id;
  const marks = get('marks');
  marks.replaceChildren(...draft.entries.map(it => box(it)));
  draft.fields.forEach((field, number) => marks.append(...field.elements.filter(it => !draft.entries.includes(it)).map(it => box(it, colors[number % colors.length]))));
  get('kinds').replaceChildren(...page.kinds.map((kind, number) => make('li', {},
    make('button', { id: `list-${number}`, ariaPressed: kind.select === draft.select, title: kind.select,
      onclick: () => update({ select: kind.select, fields: null }) }, `${kind.count} × ${kind.label || kind.select}`))));
  if (focused !== 'select' || !draft.error) get('select').value = draft.select;
  get('count').textContent = draft.error ?? `${draft.count} entries`;
  get('count').className = draft.error || !draft.count ? 'bad' : '';
  get('fields').replaceChildren(...draft.fields.map(fieldLine));
  get('more').replaceChildren(...draft.more.map((it, number) =>
    make('button', { id: `more-${number}`, title: it.field, onclick: () => update({ fields: [...draft.fields, it] }) }, `+ ${it.name}`)));
  const names = draft.fields.map(it => it.name);
  get('rows').replaceChildren(
    make('thead', {}, make('tr', {}, ...(names.length ? names : ['text']).map(it => make('th', { scope: 'col' }, it)))),
    make('tbody', {}, ...draft.rows.map(row => make('tr', {}, ...(names.length ? names.map(it => row[it] ?? null) : [row])
      .map(it => make('td', { className: it === null ? 'null' : typeof it, title: text(it) }, text(it)))))));
  get('yaml').textContent = draft.yaml;
  get('write').disabled = !draft.yaml;
  get(focused)?.focus();
}

async function start() {
  page = await (await fetch('page.json')).json();
  get('address').textContent = page.address;
  get('picture').src = 'picture';
  get('picture').alt = `The page ${page.address}`;
  get('write').textContent = page.target ? `Write ${page.target}` : 'Write to the terminal';
  const stage = get('stage');
  stage.onpointermove = event => hover(find(event));
  stage.onpointerleave = () => hover(-1);
  stage.onclick = event => { hover(find(event)); choose(); };
  stage.onkeydown = event => {
    if (event.key.startsWith('Arrow')) {
      hover(move(event.key));
      get('hover').lastChild?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' || event.key === ' ') choose();
    else return;
    event.preventDefault();
  };
  get('entries').onclick = () => point(true);
  get('parts').onclick = () => point(false);
  get('select').onchange = event => update({ select: event.target.value });
  get('write').onclick = async () => {
    try {
      const answer = await send('write', { select: draft.select, fields: draft.fields });
      if (answer.problem) throw new Error(answer.problem);
      get('written').textContent = answer.text;
      get('written').className = answer.isDone ? '' : 'bad';
      if (answer.isDone) for (const it of document.querySelectorAll('button, input, select')) it.disabled = true;
    } catch (error) { fail(error); }
  };
  point(!page.kinds.length);
  if (page.kinds.length) update({ select: page.kinds[0].select });
}

start().catch(fail);
