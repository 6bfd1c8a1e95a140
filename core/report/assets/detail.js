// One finding: the value in its place, what the API server says, the rule, whose it is, and a link.
const detail = $('detail');
let opened = -1;

// The path of a field as the lines of a manifest around the value.
function placeLines(f) {
  const steps = [...text(f[FIELD]).matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)].slice(0, 40);
  const lines = [];
  let [depth, dash] = [0, ''];
  const pad = () => '  '.repeat(Math.max(depth, 0)) + dash;
  const value = has(f[VALUE]) ? text(f[VALUE]) || '""' : '…';
  const last = (before) => {
    lines.push({ class: has(f[FIX]) ? 'del' : 'mark', before, value });
    if (has(f[FIX])) lines.push({ class: 'ins', before, value: text(f[FIX]) || '""' });
  };
  steps.forEach((step, at) => {
    const isLast = at === steps.length - 1;
    const isIndex = step[1] === undefined && /^\d*$/.test(step[2]);
    const key = step[1] === undefined ? step[2] : step[1];
    if (isIndex) {
      depth--;
      if (lines.length > 0 && key !== '') lines[lines.length - 1].note = '# item ' + key;
      dash += '- ';
      if (isLast) last(pad());
      return;
    }
    if (isLast) last(pad() + key + ': ');
    else lines.push({ class: '', before: pad() + key + ':', value: '' });
    depth += 1 + dash.length / 2;
    dash = '';
  });
  if (steps.length === 0 && has(f[VALUE])) last('');
  return lines;
}

// The line of the file, before and after.
function excerptLines(f) {
  const line = text(f[EXCERPT]);
  const [before, value, after] = [line.slice(0, f[FROM]), line.slice(f[FROM], f[TO]), line.slice(f[TO])];
  const lines = [{ class: has(f[FIX]) ? 'del' : 'mark', before, value, after, number: f[LINE] }];
  if (has(f[FIX])) lines.push({ class: 'ins', before, value: text(f[FIX]), after, number: f[LINE] });
  return lines;
}

function placeElement(f) {
  const pre = element('pre', 'place');
  pre.tabIndex = 0;
  pre.setAttribute('aria-label', 'The value in its place');
  for (const line of has(f[EXCERPT]) ? excerptLines(f) : placeLines(f)) {
    const sign = { del: '− ', ins: '+ ' }[line.class] || '  ';
    const node = element('span', 'line ' + line.class, element('span', 'sign', (line.number ? String(line.number).padStart(4) + ' ' : '') + sign));
    node.append(isolated(line.before));
    if (line.value) node.append(element('mark', '', isolated(line.value)));
    if (line.after) node.append(isolated(line.after));
    if (line.note) node.append(element('span', 'note', '  ' + line.note));
    pre.append(node, '\n');
  }
  return pre;
}

function facts(list) {
  const node = element('dl', 'facts');
  for (const [term, value, extra] of list) {
    if (value) node.append(element('div', '', element('dt', '', term), element('dd', '', isolated(value), extra ? element('small', '', ' ', isolated(extra)) : '')));
  }
  return node;
}

function fillDetail(index) {
  const f = findings[index];
  const [apiVersion] = data.objects[f[OBJECT]];
  const title = element('h3', '', isolated(kindOf(f)), ' ', isolated(nameOf(f) || '(no name)'));
  title.id = 'detail-title';
  const rule = ruleText.get(text(f[RULE]));
  const body = $('detail-body');
  body.replaceChildren(title, element('p', 'meaning', data.states[f[STATE]][2] + (has(f[TARGET]) && text(f[TARGET]) ? ' (' + visible(text(f[TARGET])) + ')' : '')), placeElement(f));
  if (has(f[HINT])) body.append(element('p', 'do', isolated(text(f[HINT]))));
  const message = element('blockquote', '', isolated(text(f[MESSAGE])));
  if (text(f[MESSAGE])) body.append(element('h4', '', 'What the API server says'), message);
  const place = has(f[FILE]) ? text(f[FILE]) + ':' + f[LINE] + (f[COLUMN] ? ':' + f[COLUMN] : '') : '';
  body.append(
    facts([
      ['Field', text(f[FIELD])],
      ['Namespace', namespaceOf(f)],
      ['API version', text(apiVersion)],
      ['Owner', ownerName(f), facets.owner.kind(f)],
      ['File', place],
    ]),
  );
  if (rule) {
    const about = element('section', 'about', element('h4', '', element('code', '', visible(rule[0])), ' ', isolated(rule[1])));
    for (const words of [rule[2], rule[3]]) if (words) about.append(element('p', '', isolated(words)));
    body.append(about);
  } else if (text(f[RULE])) body.append(element('p', '', 'Rule ', element('code', '', visible(text(f[RULE])))));
  const link = element('a', 'permalink', 'Link to this finding');
  link.href = '#f-' + f[ID];
  body.append(element('p', '', link));
  $('detail-state').replaceChildren(badge(f));
  $('previous').disabled = neighbour(-1) === undefined;
  $('next').disabled = neighbour(1) === undefined;
  body.scrollTop = 0;
}

function openDetail(index) {
  opened = index;
  fillDetail(index);
  if (!detail.open) detail.showModal();
  $('detail-body').focus({ preventScroll: true });
  writeHash('f-' + findings[index][ID]);
}

// The finding before or after the opened one in the list, groups left out.
function neighbour(step) {
  let at = items.indexOf(opened);
  if (at < 0) return undefined;
  do at += step;
  while (at >= 0 && at < items.length && isGroup(items[at]));
  return items[at];
}

function step(by) {
  const index = neighbour(by);
  if (index === undefined) return;
  const before = drawn.get(active);
  if (before) before.tabIndex = -1;
  active = items.indexOf(index);
  reveal(active);
  draw();
  openDetail(index);
}

function onDetailClosed() {
  const at = items.indexOf(opened);
  opened = -1;
  writeHash(filterHash());
  if (at >= 0) moveTo(at);
}
