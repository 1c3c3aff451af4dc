'use strict';
// Tables whose headings are buttons are sorted by them: numbers by data-v, other cells by their text.
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0], heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = head.querySelector('button');
    if (!button) return;
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'descending' ||
        (!head.hasAttribute('aria-sort') && head.classList.contains('t'));
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'ascending' : 'descending');
      const key = row => {
        const cell = row.cells[column];
        if (!cell.hasAttribute('data-v')) return cell.textContent.trim();
        return cell.dataset.v === '' ? null : Number(cell.dataset.v);
      };
      const compare = (a, b) => {
        const x = key(a), y = key(b);
        if (x === null || x === '' || y === null || y === '')
          return (x === null || x === '') - (y === null || y === '');
        const order = typeof x === 'number' ? x - y : x.localeCompare(y, undefined, {numeric: true});
        return down ? order : -order;
      };
      Array.from(body.rows).sort(compare).forEach(row => body.appendChild(row));
    });
  });
}
// A pointer over a figure, or the arrow keys in it, read the numbers of the table behind it.
for (const figure of document.querySelectorAll('figure.chart')) {
  const svg = figure.querySelector('svg[data-top]'), table = figure.querySelector('details table');
  if (!svg || !table) continue;
  const rows = Array.from(table.tBodies[0].rows), places = rows.map(row => Number(row.dataset.x));
  const heads = Array.from(table.tHead.rows[0].cells, cell => cell.textContent);
  const cursor = svg.querySelector('.cursor'), readout = figure.querySelector('.readout');
  let at = -1;
  const show = index => {
    at = Math.max(0, Math.min(rows.length - 1, index));
    const x = places[at];
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
    cursor.setAttribute('y1', svg.dataset.top);
    cursor.setAttribute('y2', svg.dataset.bottom);
    cursor.style.visibility = 'visible';
    const values = Array.from(rows[at].cells, cell => cell.textContent);
    const most = 12;
    let named = values.slice(1).map((value, i) => ({name: heads[i + 1], value}));
    if (named.length > most) named = named.filter(one => one.value !== '0' && one.value !== '\u2013');
    const rest = named.length - most;
    readout.textContent = heads[0] + ' ' + values[0] + ': ' +
      named.slice(0, most).map(one => one.name + ' ' + one.value).join(', ') +
      (rest > 0 ? ' and ' + rest + ' more' : '');
  };
  const nearest = event => {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
    let best = 0;
    places.forEach((place, i) => { if (Math.abs(place - x) < Math.abs(places[best] - x)) best = i; });
    show(best);
  };
  if (!rows.length) continue;
  svg.addEventListener('pointermove', nearest);
  svg.addEventListener('pointerdown', nearest);
  svg.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1, Home: -1e9, End: 1e9}[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(at < 0 ? 0 : at + step);
  });
  readout.textContent = 'Point at the figure, or use the arrow keys in it, to read values.';
}
