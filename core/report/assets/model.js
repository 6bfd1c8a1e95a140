// The findings, and which of them are shown: filter, search, order and groups. Nothing here touches the page.
const data = JSON.parse(document.getElementById('data').textContent);
const texts = data.texts;
const findings = data.findings;
const [ID, OBJECT, OWNER, FIELD, VALUE, FIX, HINT, RULE, STATE, MESSAGE, TARGET, FILE, LINE, COLUMN, EXCERPT, FROM, TO] = Array(17).keys();
const NO_NAMESPACE = '-';

const text = (number) => (number === undefined || number < 0 ? '' : texts[number]);
const has = (number) => number !== undefined && number >= 0;
// Characters that hide or reorder what stands beside them are spelled out.
const deceptive = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
const visible = (words) => words.replace(deceptive, (c) => '\\u{' + c.codePointAt(0).toString(16) + '}');

const stateName = (f) => data.states[f[STATE]][0];
const stateTitle = (f) => data.states[f[STATE]][1];
const kindOf = (f) => text(data.objects[f[OBJECT]][1]);
const namespaceOf = (f) => text(data.objects[f[OBJECT]][2]);
const nameOf = (f) => text(data.objects[f[OBJECT]][3]);
const ownerKey = (f) => text(data.owners[f[OWNER]][0]) + ':' + text(data.owners[f[OWNER]][1]);
const ownerName = (f) => text(data.owners[f[OWNER]][1]) || text(data.owners[f[OWNER]][0]);
const ruleText = new Map(data.rules.map((rule) => [rule[0], rule]));

// What a finding is filtered and grouped by.
const facets = {
  owner: { key: ownerKey, title: (f) => visible(ownerName(f)), kind: (f) => (text(data.owners[f[OWNER]][1]) ? text(data.owners[f[OWNER]][0]) : '') },
  namespace: { key: (f) => namespaceOf(f) || NO_NAMESPACE, title: (f) => visible(namespaceOf(f)) || 'cluster-wide', kind: (f) => (namespaceOf(f) ? 'Namespace' : '') },
  kind: { key: kindOf, title: (f) => visible(kindOf(f)), kind: () => 'Kind' },
  rule: { key: (f) => text(f[RULE]), title: (f) => visible(text(f[RULE])), kind: (f) => visible((ruleText.get(text(f[RULE])) || [])[1] || '') },
  target: { key: (f) => text(f[TARGET]), title: (f) => visible(text(f[TARGET])), kind: () => 'Version' },
};

const orders = {
  state: (f) => f[STATE],
  object: (f) => namespaceOf(f) + '/' + nameOf(f) + '/' + kindOf(f),
  field: (f) => text(f[FIELD]),
  value: (f) => text(f[VALUE]),
  rule: (f) => text(f[RULE]),
  target: (f) => text(f[TARGET]),
};

const noFilter = () => ({ q: '', state: new Set(), owner: '', namespace: '', kind: '', rule: '', target: '' });
const view = { ...noFilter(), group: 'owner', sort: 'state', reverse: false, folded: new Set() };

// The text that the search looks at, made when it is first needed.
const searched = [];
function searchText(index) {
  if (searched[index] === undefined) {
    const f = findings[index];
    const parts = [kindOf(f), namespaceOf(f) + '/' + nameOf(f), ownerKey(f)];
    for (const column of [FIELD, VALUE, FIX, RULE, MESSAGE, FILE]) parts.push(text(f[column]));
    searched[index] = parts.join('\n').toLowerCase();
  }
  return searched[index];
}

// The numbers of the findings that pass the filters, in order. `except` leaves one filter out.
function selected(except) {
  const words = view.q.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Object.keys(facets).filter((name) => view[name] !== '' && name !== except);
  const result = [];
  for (let index = 0; index < findings.length; index++) {
    const f = findings[index];
    if (except !== 'state' && view.state.size > 0 && !view.state.has(stateName(f))) continue;
    if (!wanted.every((name) => facets[name].key(f) === view[name])) continue;
    if (words.length > 0) {
      const all = searchText(index);
      if (!words.every((word) => all.includes(word))) continue;
    }
    result.push(index);
  }
  return result;
}

function sorted(indexes) {
  // The data is in the order of states already.
  if (view.sort === 'state') return view.reverse ? indexes.reverse() : indexes;
  const keys = new Map(indexes.map((index) => [index, orders[view.sort](findings[index])]));
  const sign = view.reverse ? -1 : 1;
  return indexes.sort((a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    return x < y ? -sign : x > y ? sign : a - b;
  });
}

// Groups in the order of what they have to do: the worst state first, then the most findings.
function grouped(indexes) {
  const facet = facets[view.group];
  const groups = new Map();
  for (const index of indexes) {
    const key = facet.key(findings[index]);
    let group = groups.get(key);
    if (!group) {
      group = { key, indexes: [], worst: 99, counts: data.states.map(() => 0) };
      groups.set(key, group);
    }
    const state = findings[index][STATE];
    group.indexes.push(index);
    group.counts[state]++;
    group.worst = Math.min(group.worst, state);
  }
  return [...groups.values()].sort((a, b) => a.worst - b.worst || b.indexes.length - a.indexes.length || (a.key < b.key ? -1 : 1));
}
