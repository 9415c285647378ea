// SPDX-License-Identifier: Apache-2.0
//
// What heddle linear saw: requests that were made at the same time, and beside
// what they gave what each serial order of them gives.

const clientName = (r, i, all) => `${r.client}${all.filter((o) => o.client === r.client).length > 1 ? `.${all.slice(0, i + 1).filter((o) => o.client === r.client).length}` : ''}`;

// When each request was under way, as bars over the history.
function historyPart(linear) {
	const { requests } = linear;
	const last = Math.max(...requests.map((r) => Math.max(r.begin, r.end ?? 0)), 1) + 1;
	const height = requests.length * 30 + 4;
	const x = (place) => 8 + place / last * 704;
	const picture = svg('svg', { class: 'graph history', viewBox: `0 0 720 ${height}`, role: 'img', 'aria-label': `When each of ${plural(requests.length, 'request')} was under way` });

	requests.forEach((r, i) => {
		const from = x(r.begin), to = x(r.end ?? last), y = 4 + i * 30;
		const bar = svg('rect', { x: from, y, width: Math.max(to - from, 14), height: 22, rx: 5, class: r.end === null ? 'open' : '' });

		bar.style.stroke = laneColour(r.client);
		picture.append(bar, svg('text', { class: 'small', x: from + 7, y: y + 15 }, clientName(r, i, requests)));
	});
	return picture;
}

const yesNo = (yes) => make('span', { class: `verdict ${yes ? 'held' : 'broken'}` }, make('span', { 'aria-hidden': 'true' }, yes ? '✓' : '✗'), yes ? 'same' : 'differs');

function replyRow(linear, request, i) {
	return make('tr', {},
		make('th', { scope: 'row' }, `${clientName(request, i, linear.requests)}  `, make('code', {}, request.request)),
		make('td', {}, make('code', {}, request.reply ?? 'no reply')),
		linear.orders.map((o) => make('td', {}, !o.replies || !o.replies[i] ? '–' :
			o.replies[i].same ? yesNo(true) : [yesNo(false), make('div', {}, make('code', {}, o.replies[i].reply))])));
}

function ordersPart(linear) {
	const rows = linear.requests.map((r, i) => replyRow(linear, r, i));

	rows.push(make('tr', {}, make('th', { scope: 'row' }, 'all replies'), make('td', {}), linear.orders.map((o) => make('td', {}, yesNo(o.output)))));
	rows.push(make('tr', {}, make('th', { scope: 'row' }, 'state at the end'), make('td', {}), linear.orders.map((o) => make('td', {}, yesNo(o.state)))));
	return tablePart('serial orders', ['Request', 'At the same time', ...linear.orders.map((o) => `One by one: ${o.order}`)], rows);
}

const stateText = (state, name) => {
	const c = (state || []).find((s) => s.name === name);

	return c ? c.elements.join('\n') + (c.count > c.elements.length ? `\n… ${c.count - c.elements.length} more` : '') : '';
};

// Components of the state that some order leaves otherwise.
function statePart(linear) {
	const all = [...new Set([linear, ...linear.orders].flatMap((o) => (o.left || []).map((c) => c.name)))];
	const names = all.filter((n) => linear.orders.some((o) => o.left && stateText(o.left, n) !== stateText(linear.left, n)));
	const cell = (state, name, other) => make('td', {}, make('pre', { class: other ? 'text other' : 'text' }, stateText(state, name) || '(nothing)'));

	if (!names.length)
		return null;
	return card('State', linear.component ? make('p', {}, `Component ${linear.component} ${linear.difference}.`) : null,
		tablePart('state', ['Component', 'At the same time', ...linear.orders.map((o) => `One by one: ${o.order}`)],
			names.map((n) => make('tr', {}, make('th', { scope: 'row' }, n), cell(linear.left, n),
				linear.orders.map((o) => cell(o.left, n, stateText(o.left, n) !== stateText(linear.left, n)))))));
}

function linearParts(linear) {
	const words = linear.reply ? `No serial order gives the reply: ${linear.reply}.` :
		linear.orders.some((o) => o.output) ? 'The replies are those of a serial order, but not with this state.' : 'No serial order gives these replies.';

	return [card('Requests and serial orders',
		linear.setup.length ? make('p', {}, 'After ', linear.setup.flatMap((s, i) => [i ? ', ' : '', make('code', {}, s)])) : null,
		historyPart(linear),
		make('p', { class: 'value' }, 'Bars that overlap were under way at the same time.'),
		ordersPart(linear),
		linear.failure ? make('p', {}, linear.failure) : make('p', {}, words),
		make('p', { class: 'value' }, `In ${linear.schedules.toLocaleString('en')} of ${plural(linear.executions, 'execution')}.`)),
	statePart(linear)].filter(Boolean);
}
