// Controls: filters and their links, order, theme, keys and paper.
const FACETS = Object.keys(facets);
const PAPER_ROWS = 1000;

function option(value, title) {
  const node = element('option', '', title);
  node.value = value;
  return node;
}

// The choices of a facet with their numbers: the most frequent first.
function fillSelect(name) {
  const counts = new Map();
  for (const f of findings) {
    const key = facets[name].key(f);
    const known = counts.get(key);
    if (known) known.number++;
    else counts.set(key, { number: 1, f });
  }
  const all = [...counts].sort((a, b) => b[1].number - a[1].number || (a[0] < b[0] ? -1 : 1));
  const title = ({ number, f }) => {
    const words = facets[name].title(f);
    const short = words.length > 60 ? words.slice(0, 59) + '…' : words;
    return (short || '(none)') + ' (' + number.toLocaleString('en') + ')';
  };
  $(name).replaceChildren(option('', 'all'), ...all.map(([key, value]) => option(key, title(value))));
  $(name).closest('label').hidden = all.length < 2;
}

function fillStates() {
  const counts = data.states.map(() => 0);
  for (const f of findings) counts[f[STATE]]++;
  data.states.forEach(([name, title], state) => {
    if (counts[state] === 0) return;
    const chip = element('button', 'chip ' + name, icon(name), title + ' ', element('b', '', counts[state].toLocaleString('en')));
    chip.type = 'button';
    chip.dataset.state = name;
    chip.setAttribute('aria-pressed', 'false');
    chip.addEventListener('click', () => {
      if (!view.state.delete(name)) view.state.add(name);
      changed();
    });
    $('states').append(chip);
  });
}

// Shows the view in the controls.
function showControls() {
  $('q').value = view.q;
  for (const name of FACETS) $(name).value = view[name];
  $('group').value = view.group;
  for (const chip of $('states').querySelectorAll('.chip')) chip.setAttribute('aria-pressed', String(view.state.has(chip.dataset.state)));
  for (const button of grid.querySelectorAll('[data-sort]')) {
    const isSorted = button.dataset.sort === view.sort;
    button.parentElement.setAttribute('aria-sort', !isSorted ? 'none' : view.reverse ? 'descending' : 'ascending');
  }
  $('clear').hidden = filterHash() === 'findings';
}

function filterHash() {
  const parts = [];
  const add = (name, value) => parts.push(name + '=' + encodeURIComponent(value));
  if (view.q) add('q', view.q);
  if (view.state.size > 0) add('state', [...view.state].join(','));
  for (const name of FACETS) if (view[name] !== '') add(name, view[name]);
  return 'findings' + (parts.length > 0 ? '?' + parts.join('&') : '');
}

function writeHash(hash) {
  // A page in a sandbox may not change its address.
  try {
    history.replaceState(null, '', '#' + hash);
  } catch { /* the list works without */ }
}

function changed() {
  active = 0;
  showControls();
  update();
  writeHash(filterHash());
}

// Follows a link: to a finding, or to findings that a filter selects.
function followHash() {
  const hash = location.hash.slice(1);
  if (hash.startsWith('f-')) {
    const index = findings.findIndex((f) => f[ID] === hash.slice(2));
    if (index < 0) return;
    let at = items.indexOf(index);
    if (at < 0) {
      Object.assign(view, noFilter(), { folded: new Set() });
      showControls();
      update();
      at = items.indexOf(index);
    }
    active = at;
    reveal(at);
    draw();
    openDetail(index);
  } else if (hash.startsWith('findings?')) {
    Object.assign(view, noFilter());
    for (const [name, value] of new URLSearchParams(hash.slice('findings?'.length))) {
      if (name === 'state') view.state = new Set(value.split(',').filter((one) => data.states.some(([known]) => known === one)));
      else if (name === 'q' || FACETS.includes(name)) view[name] = value;
    }
    if (detail.open) detail.close();
    active = 0;
    showControls();
    update();
    $('findings-title').scrollIntoView();
    $('findings-title').focus({ preventScroll: true });
  }
}

// On paper there is no window to scroll: the rows of the view are written out, as far as anyone reads them.
function fillPaper() {
  const shown = sorted(selected());
  const table = element('table', 'plain');
  const head = element('tr', '', ...['State', 'Object', 'Owner', 'Field', 'Value', 'Fix', 'Rule', 'Version'].map((title) => element('th', '', title)));
  const body = element('tbody', '');
  for (const index of shown.slice(0, PAPER_ROWS)) {
    const f = findings[index];
    const name = kindOf(f) + ' ' + (namespaceOf(f) ? namespaceOf(f) + '/' : '') + nameOf(f);
    const cells = [stateTitle(f), name, ownerName(f), text(f[FIELD]), text(f[VALUE]), text(f[FIX]) || text(f[HINT]), text(f[RULE]), text(f[TARGET])];
    body.append(element('tr', '', ...cells.map((words) => element('td', '', isolated(words)))));
  }
  table.append(element('thead', '', head), body);
  const rest = shown.length - PAPER_ROWS;
  $('paper').replaceChildren(table, rest > 0 ? element('p', '', rest.toLocaleString('en') + ' more findings are not printed; filter them to print others.') : '');
}

const onPaper = window.matchMedia('print');
const THEMES = ['auto', 'light', 'dark'];

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $('theme').textContent = 'Theme: ' + theme;
}

// Storage is forbidden to pages of a sandbox and to some files.
function rememberedTheme() {
  try {
    return localStorage.getItem('ratchet-theme') || 'auto';
  } catch {
    return 'auto';
  }
}

function startPage() {
  let theme = THEMES.includes(rememberedTheme()) ? rememberedTheme() : 'auto';
  setTheme(theme);
  $('theme').hidden = false;
  $('theme').addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    setTheme(theme);
    try {
      localStorage.setItem('ratchet-theme', theme);
    } catch { /* the choice lasts as long as the page */ }
  });
  $('print').hidden = false;
  $('print').addEventListener('click', () => window.print());
  for (const button of document.querySelectorAll('.show-rest')) {
    button.addEventListener('click', () => {
      button.closest('section').querySelector('tbody.rest').hidden = false;
      button.parentElement.remove();
    });
  }
}

function startList() {
  view.group = data.subject === 'kubelets' ? 'rule' : 'owner';
  FACETS.forEach(fillSelect);
  fillStates();
  $('filters').hidden = false;
  $('filters').addEventListener('submit', (event) => event.preventDefault());
  for (const name of FACETS) $(name).addEventListener('change', () => { view[name] = $(name).value; changed(); });
  $('group').addEventListener('change', () => { view.group = $('group').value; changed(); });
  $('q').addEventListener('input', () => { view.q = $('q').value; changed(); });
  $('clear').addEventListener('click', () => { Object.assign(view, noFilter()); changed(); $('q').focus(); });
  for (const button of grid.querySelectorAll('[data-sort]')) {
    button.addEventListener('click', () => {
      view.reverse = view.sort === button.dataset.sort && !view.reverse;
      view.sort = button.dataset.sort;
      changed();
    });
  }
  rows.addEventListener('click', (event) => {
    const row = event.target.closest('[data-at]');
    if (!row || String(window.getSelection())) return;
    const before = drawn.get(active);
    if (before) before.tabIndex = -1;
    active = Number(row.dataset.at);
    row.tabIndex = 0;
    activate(active);
  });
  grid.addEventListener('keydown', onGridKey);
  $('previous').addEventListener('click', () => step(-1));
  $('next').addEventListener('click', () => step(1));
  detail.addEventListener('close', onDetailClosed);
  detail.addEventListener('click', (event) => { if (event.target === detail) detail.close(); });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || detail.open || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    $('q').focus();
  });
  let isWaiting = false;
  const redraw = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; draw(); });
  };
  window.addEventListener('scroll', redraw, { passive: true });
  window.addEventListener('resize', redraw, { passive: true });
  isNarrow.addEventListener('change', layout);
  window.addEventListener('beforeprint', fillPaper);
  window.addEventListener('afterprint', () => $('paper').replaceChildren());
  onPaper.addEventListener('change', () => (onPaper.matches ? fillPaper() : $('paper').replaceChildren()));
  window.addEventListener('hashchange', followHash);
  showControls();
  update();
  followHash();
}

startPage();
if (hasList) startList();
document.documentElement.dataset.ready = 'true';
