// SPDX-License-Identifier: Apache-2.0
//
// The overview: what was tested and what came of it, how much of what could
// happen was made to happen, and the failures that are kept.

function testRow(test) {
	return make('tr', {},
		make('td', {}, verdictPart(test.verdict)),
		make('td', {}, make('code', {}, commandText(test.command)),
			test.text ? make('div', { class: 'value' }, test.text) : null),
		make('td', {}, (test.bugs || []).flatMap((name) => [make('a', { href: `#bug=${encodeURIComponent(name)}` }, name), ' '])),
		make('td', { class: 'num' }, (test.schedules ?? 0).toLocaleString('en')),
		make('td', {}, classesText(test)),
		make('td', {}, watchedText(test)),
		make('td', { class: 'num' }, `${(test.seconds ?? 0).toFixed(1)} s`));
}

function classesText(test) {
	if (!test.classes)
		return '–';
	return `${plural(test.classes, 'class', 'classes')}, ${test.complete ? 'complete' : 'not complete'}`;
}

function watchedText(test) {
	if (test.races === null || test.races === undefined)
		return '–';
	return `${plural(test.races, 'data race')}, ${plural(test.lock_cycles, 'lock cycle')}`;
}

// ---- curves ----

const CHART = { width: 340, height: 150, left: 40, right: 10, top: 12, bottom: 26 };

// Round numbers up to the largest, four or fewer.
function ticks(most) {
	const unit = 10 ** Math.floor(Math.log10(most || 1));
	const step = [0.5, 1, 2, 5].map((n) => n * unit).find((n) => most / n <= 4) || 10 * unit;

	return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

// A line over points [x, y], in steps if what was reached stays until the next.
function chart({ title, note, points, limit, unit, inSteps }) {
	const { width, height, left, right, top, bottom } = CHART;
	const mostX = points.at(-1)[0] || 1;
	const mostY = Math.max(limit || 0, ...points.map((p) => p[1]), 1);
	const x = (v) => left + v / mostX * (width - left - right);
	const y = (v) => height - bottom - v / mostY * (height - top - bottom);
	const line = points.map(([px, py], i) => `${i ? (inSteps ? `H${x(px).toFixed(1)}L` : 'L') : 'M'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('');
	const picture = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}: ${note}` });
	const text = (value, attributes) => picture.append(svg('text', attributes, value));

	for (const v of ticks(mostY).filter(Number.isInteger)) {
		picture.append(svg('path', { class: 'grid', d: `M${left} ${y(v)}H${width - right}` }));
		text(v.toLocaleString('en'), { x: left - 6, y: y(v) + 4, 'text-anchor': 'end' });
	}
	for (const v of ticks(mostX))
		text(`${Number(v.toPrecision(3)).toLocaleString('en')}${unit}`, { x: x(v), y: height - 8, 'text-anchor': v ? 'middle' : 'start' });
	if (limit)
		picture.append(svg('path', { class: 'limit', d: `M${left} ${y(limit)}H${width - right}` }));
	picture.append(svg('path', { class: 'line', d: line }));
	return make('figure', {}, make('figcaption', {}, make('b', {}, title), make('div', { class: 'value' }, note)), picture);
}

function coverageChart(test) {
	const points = [[0, 0], ...test.coverage.filter((p) => p[0] <= test.seconds), [test.seconds, test.exercised]];

	return chart({
		title: commandText(test.command), points, limit: test.feasible, unit: ' s', inSteps: true,
		note: `${test.exercised} of ${plural(test.feasible, 'feasible interleaving')} exercised`,
	});
}

function scheduleChart(test) {
	return chart({
		title: commandText(test.command), points: test.curve, unit: '',
		note: `${plural(test.distinct ?? 0, 'distinct schedule')} in ${plural(test.schedules ?? 0, 'run')}`,
	});
}

function curvesPart(tests) {
	const covered = tests.filter((t) => t.feasible > 0 && t.coverage?.length);
	const sampled = tests.filter((t) => t.curve?.length > 2);

	return [
		covered.length ? card('Interleavings exercised over time', make('p', { class: 'value' }, 'Of three accesses that no serial order explains, in the run that was watched: how many of those that can happen were made to happen. The dashed line is all of them.'), make('div', { class: 'charts' }, covered.map(coverageChart))) : null,
		sampled.length ? card('Distinct schedules over runs', make('div', { class: 'charts' }, sampled.map(scheduleChart))) : null,
	].filter(Boolean);
}

// ---- failures ----

function bugRow(bug) {
	return make('tr', {},
		make('td', {}, make('a', { href: `#bug=${encodeURIComponent(bug.name)}` }, bug.name)),
		make('td', {}, bug.text, bug.suspect ? make('div', { class: 'value' }, bug.suspect.title) : null),
		make('td', {}, make('code', {}, commandText(bug.command))),
		make('td', {}, bug.replayed ? `${bug.replayed.same} of ${bug.replayed.times}` : '–'));
}

function headline(tests, bugs) {
	const broken = tests.filter((t) => t.verdict === 'broken').length;

	if (tests.length)
		return broken ? `${broken.toLocaleString('en')} of ${plural(tests.length, 'test')} broken` : `${plural(tests.length, 'test')}, none broken`;
	return bugs.length ? `${plural(bugs.length, 'failure')} kept` : 'Nothing broke';
}

function overview() {
	const { tests, bugs } = data;
	const parts = [make('div', { class: 'head' },
		make('h1', {}, headline(tests, bugs)),
		make('div', { class: 'facts' }, make('span', {}, `heddle ${data.heddle}`), make('span', {}, `made ${data.made.replace('T', ' ').replace('Z', ' UTC')}`)))];

	if (tests.length)
		parts.push(card('Tests', tablePart('tests', ['Verdict', 'Command', 'Failures', '#Schedules', 'Explored', 'Watched', '#Time'], tests.map(testRow))));
	if (bugs.length)
		parts.push(card('Failures', tablePart('failures', ['Name', 'What broke', 'Command', 'Replayed'], bugs.map(bugRow))));
	parts.push(...curvesPart(tests));
	document.title = 'heddle report';
	return parts;
}
