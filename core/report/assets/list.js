// The list: a tree grid of which only the rows in sight are in the page, so that 20,000 findings cost no more than 50.
const $ = (id) => document.getElementById(id);
const isNarrow = window.matchMedia('(max-width: 760px)');
const OVERSCAN = 800;
const GROUP_HEIGHT = 46;
const hasList = findings.length > 0;
const rows = $('rows');
const grid = $('grid');
let items = []; // numbers of findings, or groups
let offsets = new Float64Array(1);
let active = 0;
const drawn = new Map();

function element(tag, classes, ...children) {
  const node = document.createElement(tag);
  if (classes) node.className = classes;
  node.append(...children);
  return node;
}

function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', '#i-' + name);
  svg.append(use);
  return svg;
}

// Text of strangers: isolated, so that its direction does not leave it.
const isolated = (words, classes) => element('bdi', classes, visible(words));
const isGroup = (item) => typeof item === 'object';

function update() {
  const shown = sorted(selected());
  const groups = view.group ? grouped(shown) : [];
  items = view.group ? [] : shown;
  for (const group of groups) {
    items.push(group);
    if (!view.folded.has(view.group + ':' + group.key)) for (const index of group.indexes) items.push(index);
  }
  $('count').textContent = describe(shown.length, groups.length);
  $('empty').hidden = shown.length > 0;
  grid.hidden = shown.length === 0;
  grid.setAttribute('aria-rowcount', String(items.length + 1));
  active = Math.min(active, Math.max(items.length - 1, 0));
  layout();
}

function describe(number, groups) {
  const all = findings.length.toLocaleString('en');
  const of = number === findings.length ? all + ' findings' : number.toLocaleString('en') + ' of ' + all + ' findings';
  return groups > 0 ? of + ' in ' + groups.toLocaleString('en') + (groups === 1 ? ' group' : ' groups') : of;
}

// Every row has one of two heights, so that the place of each is known without drawing it.
function layout() {
  const height = isNarrow.matches ? 128 : 58;
  offsets = new Float64Array(items.length + 1);
  for (let at = 0; at < items.length; at++) offsets[at + 1] = offsets[at] + (isGroup(items[at]) ? GROUP_HEIGHT : height);
  rows.style.height = offsets[items.length] + 'px';
  rows.replaceChildren();
  drawn.clear();
  draw();
}

// The last item that begins at or before a place.
function itemAt(place) {
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

function draw() {
  if (items.length === 0) return;
  const top = rows.getBoundingClientRect().top;
  const first = itemAt(-top - OVERSCAN);
  // A few more than are in sight, also where the list is still below.
  const last = Math.min(Math.max(itemAt(window.innerHeight - top + OVERSCAN), first + 12), items.length - 1);
  const wanted = [];
  for (let at = first; at <= last; at++) wanted.push(at);
  // The row with the focus stays, or the focus would be lost.
  if (active < first) wanted.unshift(active);
  if (active > last) wanted.push(active);
  const keep = new Set(wanted);
  for (const [at, node] of drawn) {
    if (!keep.has(at)) {
      node.remove();
      drawn.delete(at);
    }
  }
  let next = rows.firstChild;
  for (const at of wanted) {
    const known = drawn.get(at);
    if (known) {
      next = known.nextSibling;
      continue;
    }
    const node = isGroup(items[at]) ? groupRow(items[at]) : findingRow(findings[items[at]]);
    node.setAttribute('role', 'row');
    node.setAttribute('aria-rowindex', String(at + 2));
    node.tabIndex = at === active ? 0 : -1;
    node.dataset.at = String(at);
    node.style.transform = 'translateY(' + offsets[at] + 'px)';
    node.style.height = offsets[at + 1] - offsets[at] + 'px';
    rows.insertBefore(node, next);
    drawn.set(at, node);
  }
}

function cell(classes, ...children) {
  const node = element('div', classes, ...children);
  node.setAttribute('role', 'gridcell');
  return node;
}

function badge(f) {
  return element('span', 'badge ' + stateName(f), icon(stateName(f)), stateTitle(f));
}

function findingRow(f) {
  const row = element('div', 'row');
  row.setAttribute('aria-level', view.group ? '2' : '1');
  const namespace = namespaceOf(f);
  const value = cell('value');
  if (has(f[VALUE])) value.append(isolated(text(f[VALUE]) || '""', 'old'));
  if (has(f[FIX])) value.append(element('span', 'fix', '→ ', isolated(text(f[FIX]) || '""')));
  else value.append(isolated(text(f[HINT]) || text(f[MESSAGE]), 'hint'));
  row.append(
    cell('state', badge(f)),
    cell('object', isolated(nameOf(f) || '(no name)', 'name'), element('small', '', isolated(kindOf(f)), namespace ? ' in ' : '', isolated(namespace))),
    cell('field', isolated(text(f[FIELD]))),
    value,
    cell('rule', element('code', '', visible(text(f[RULE])))),
    cell('target', isolated(text(f[TARGET]))),
  );
  return row;
}

function groupRow(group) {
  const f = findings[group.indexes[0]];
  const facet = facets[view.group];
  const row = element('div', 'row group');
  row.setAttribute('aria-level', '1');
  row.setAttribute('aria-expanded', String(!view.folded.has(view.group + ':' + group.key)));
  const counts = element('span', 'counts');
  group.counts.forEach((number, state) => {
    if (number > 0) counts.append(element('i', data.states[state][0], number.toLocaleString('en') + ' ' + data.states[state][1].toLowerCase()), ' ');
  });
  const name = cell('group-name', element('span', 'fold'), element('bdi', 'name', facet.title(f)), element('small', '', facet.kind(f)), counts);
  name.setAttribute('aria-colspan', '6');
  row.append(name);
  return row;
}

// The height of what stays at the top of the window.
const stickyHeight = () => grid.querySelector('.heads').getBoundingClientRect().height;

function reveal(at) {
  const top = rows.getBoundingClientRect().top + offsets[at];
  const height = offsets[at + 1] - offsets[at];
  if (top < stickyHeight()) window.scrollBy(0, top - stickyHeight() - 8);
  else if (top + height > window.innerHeight) window.scrollBy(0, top + height - window.innerHeight + 8);
}

function moveTo(at) {
  const before = drawn.get(active);
  if (before) before.tabIndex = -1;
  active = Math.max(0, Math.min(at, items.length - 1));
  reveal(active);
  draw();
  const node = drawn.get(active);
  if (!node) return;
  node.tabIndex = 0;
  node.focus({ preventScroll: true });
}

function fold(group, isFolded) {
  const key = view.group + ':' + group.key;
  if (isFolded) view.folded.add(key);
  else view.folded.delete(key);
  active = items.indexOf(group);
  const at = active;
  update();
  moveTo(at);
}

function activate(at) {
  const item = items[at];
  if (item === undefined) return;
  if (isGroup(item)) fold(item, !view.folded.has(view.group + ':' + item.key));
  else openDetail(item);
}

function parentOf(at) {
  while (at > 0 && !isGroup(items[at])) at--;
  return at;
}

function onGridKey(event) {
  const row = event.target.closest('[role=row][data-at]');
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = Number(row.dataset.at);
  const item = items[at];
  const page = Math.max(1, Math.floor(window.innerHeight / 80));
  const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1, PageDown: at + page, PageUp: at - page };
  if (event.key in moves) moveTo(moves[event.key]);
  else if (event.key === 'Enter' || event.key === ' ') activate(at);
  else if (event.key === 'ArrowRight' && isGroup(item)) fold(item, false);
  else if (event.key === 'ArrowLeft' && isGroup(item)) fold(item, true);
  else if (event.key === 'ArrowLeft') moveTo(parentOf(at));
  else return;
  event.preventDefault();
}
