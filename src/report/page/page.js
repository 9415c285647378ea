// SPDX-License-Identifier: Apache-2.0
//
// The page: an overview, and a view for each failure. Everything it shows comes
// from the document in #data (docs/formats.md), which may have been made from a
// stranger's program: nothing of it is ever markup.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
const plural = (n, one, many) => `${n.toLocaleString('en')} ${n === 1 ? one : many || `${one}s`}`;
const commandText = (words) => words.map((w) => (/^[\w@%+=:,./-]+$/.test(w) ? w : `'${w.replaceAll("'", "'\\''")}'`)).join(' ');

// ---- a run, with words for its steps ----

class RunModel {
	constructor(bug) {
		this.bug = bug;
		this.steps = bug.steps || [];
		this.suspects = bug.suspect ? bug.suspect.steps : this.lastOfWaiting();
		this.file = this.mainFile();
		this.switchAt = new Map((bug.switches || []).map((s) => [s.step, s.why]));
		this.lines = new Map();
		for (const part of bug.sources || []) {
			const all = this.lines.get(part.file) || new Map();

			part.lines.forEach((text, i) => all.set(part.line + i, text));
			this.lines.set(part.file, all);
		}
	}

	// Were steps left out between the one and the other? Those in between
	// may be hidden by a filter.
	isGap(before, number) {
		let n = number;

		while (n > before && !this.steps[n].skipped)
			n--;
		return n > before;
	}

	// Where threads wait for each other, the steps they wait at.
	lastOfWaiting() {
		const waiting = (this.bug.waits || []).filter((w) => w.location !== null).map((w) => w.thread);

		return waiting.map((t) => this.steps.findLastIndex((s) => s.thread === t)).filter((n) => n >= 0).sort((a, b) => a - b);
	}

	// The file that most steps are of.
	mainFile() {
		const counts = new Map();

		for (const step of this.steps) {
			const file = this.place(step.place)?.file;

			if (file)
				counts.set(file, (counts.get(file) || 0) + 1);
		}
		return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
	}

	place(n) {
		return n === undefined || n === null ? null : this.bug.places[n];
	}

	placeText(place) {
		if (!place)
			return '';
		return place.file && place.line ? `${baseName(place.file)}:${place.line}` : place.function || '';
	}

	line(step) {
		return this.placeText(this.place(step.place));
	}

	// Where there is little room, the name of that file goes without saying.
	shortLine(step) {
		const place = this.place(step.place);

		return place && place.line && place.file === this.file ? `:${place.line}` : this.placeText(place);
	}

	location(step) {
		return step.location === undefined ? '' : this.bug.locations[step.location].name;
	}

	what(step, location = this.location(step)) {
		if (step.other !== undefined)
			return `${step.kind.replace('thread-', '')} ${step.kind === 'thread-begin' ? '' : `thread ${step.other}`}`;
		return `${step.kind} ${location}`;
	}

	// Blocks and stacks by what tells them apart.
	shortWhat(step) {
		return this.what(step, this.location(step)
			.replace(/heap block of \d+ bytes?(?: allocated at ([^,]+))?, \+(\d+)$/, (_, at, offset) => `block${at ? ` of ${at}` : ''}+${offset}`)
			.replace(/^stack of thread (\d+), (\d+) bytes? below its top$/, 'stack $1−$2')
			.replace(this.file ? `${baseName(this.file)}:` : ':', ':'));
	}

	value(step) {
		if (step.after !== undefined)
			return step.before !== undefined ? `  ${step.before} → ${step.after}` : `  (${step.after})`;
		return step.before !== undefined ? `  (${step.before})` : '';
	}

	source(step) {
		const place = this.place(step.place);
		const lines = place && this.lines.get(place.file);

		return (lines && lines.get(place.line)) || '';
	}

	sentence(number) {
		const step = this.steps[number];
		const marked = this.suspects.includes(number) ? ', to be looked at first' : '';

		const gap = step.skipped ? `${plural(step.skipped, 'step is', 'steps are')} left out before: ` : '';

		return `${gap}Step ${number}, ${this.bug.threads[step.thread] || `thread ${step.thread}`}: ${this.what(step)}${this.value(step)} ${this.line(step)}${marked}`;
	}

	held(step) {
		const all = [];

		for (let set = step.held || 0; set; set = this.bug.held[set].outer)
			all.unshift(this.bug.held[set]);
		return all;
	}

	stack(step) {
		const all = [];

		for (let p = this.place(step.place); p; p = this.place(p.outer))
			all.push(p);
		return all;
	}

	isShared(step) {
		return step.location === undefined || !/^(vptr-)?(read|write)$/.test(step.kind) ||
			this.bug.locations[step.location].shared;
	}

	text(number) {
		const step = this.steps[number];

		return `${this.bug.threads[step.thread] || ''} ${this.what(step)} ${this.line(step)} ${this.source(step)}`.toLowerCase();
	}
}

// ---- small parts ----

function copyButton(text) {
	const button = make('button', {
		type: 'button', title: 'Copy',
		onclick: async () => {
			try {
				await navigator.clipboard.writeText(text);
				say(`Copied: ${text}`);
			} catch {
				getSelection().selectAllChildren(button);
			}
		},
	}, text);

	return button;
}

function say(text) {
	byId('said').textContent = text;
}

const MARKS = { broken: '✗', held: '✓', unknown: '?' };

function verdictPart(verdict) {
	return make('span', { class: `verdict ${verdict}` }, make('span', { 'aria-hidden': 'true' }, MARKS[verdict] || ''), verdict);
}

function card(title, ...children) {
	return make('section', { class: 'card' }, make('h2', {}, title), ...children);
}

function tablePart(name, heads, rows) {
	return make('div', { class: 'table-wrap', tabindex: '0', role: 'region', 'aria-label': `Table: ${name}` }, make('table', {},
		make('thead', {}, make('tr', {}, heads.map((h) => make('th', { scope: 'col', class: h.startsWith('#') ? 'num' : null }, h.replace('#', ''))))),
		make('tbody', {}, rows)));
}

function svg(tag, attributes, ...children) {
	const e = document.createElementNS('http://www.w3.org/2000/svg', tag);

	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

// ---- a failure ----

function suspectPart(model, lanes) {
	const { suspect } = model.bug;
	const threads = [...new Set(suspect.steps.map((n) => model.steps[n].thread))].sort((a, b) => a - b);
	const rows = suspect.steps.map((number, i) => {
		const step = model.steps[number];

		return make('tr', {}, threads.map((thread) => make('td', {}, thread !== step.thread ? null :
			make('button', { type: 'button', lane: thread, onclick: () => { lanes.goStep(number); lanes.box.focus(); } },
				`${tagText(i)} ${model.line(step)}  ${model.what(step)}${model.value(step)}\n   ${model.source(step).trim()}`))));
	});

	return card(suspect.title.replaceAll('`', '’').replace('’', '‘'),
		make('div', { class: 'table-wrap', tabindex: '0', role: 'region', 'aria-label': 'The steps to look at first' },
			make('table', { class: 'suspect' },
				make('thead', {}, make('tr', {}, threads.map((t) => make('th', { scope: 'col' }, model.bug.threads[t] || `thread ${t}`)))),
				make('tbody', {}, rows))),
		make('p', {}, `${suspect.advice[0].toUpperCase()}${suspect.advice.slice(1)}.`));
}

// What heddle locate found (heddle-locate(1) describes the object).
function locatedPart(located) {
	const access = (a) => `${a.kind} ${a.file && a.line ? `${baseName(a.file)}:${a.line}` : a.function || '?'}${a.thread ? ` by ${a.thread}` : ''}`;
	const tried = (e) => (!e ? 'not tried' : [
		e.held_reversed ? 'the other way round it held' : e.reversible ? 'the other way round it failed as well' : 'could not be turned round',
		e.enforced ? `enforced, ${e.failed_enforced} of ${e.enforced} failed` : null].filter(Boolean).join('; '));
	const rows = (located.suspects || []).map((s, i) => make('tr', {},
		make('td', { class: 'num' }, String(i + 1)),
		make('td', {}, s.sentence || '', (s.pairs || []).map((p) => make('div', {}, make('code', {}, `${access(p.head)} → ${access(p.tail)}`), ` on ${p.variable}`))),
		make('td', {}, s.confirmed ? make('b', {}, 'confirmed: ') : '', tried(s.experiment))));

	return card(located.confirmed ? 'Located by comparing with passing runs' : 'Suspects by comparing with passing runs; none is confirmed', tablePart('accesses', ['#Rank', 'Accesses', 'Evidence'], rows));
}

// Threads on the left, what they wait for and hold on the right.
function waitsPart(model) {
	const { waits, locations } = model.bug;
	const objects = [...new Set(waits.flatMap((w) => [w.location, ...w.holds.map((h) => h.location)]).filter((l) => l !== null))];
	const height = Math.max(waits.length, objects.length) * 74 + 16;
	const y = (i) => 16 + i * 74;
	const picture = svg('svg', { class: 'graph', viewBox: `0 0 720 ${height}`, role: 'img', 'aria-label': waits.map((w) => waitText(model, w)).join('; ') });
	const clip = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

	picture.append(svg('defs', {}, ...['', 'bad'].map((c) => svg('marker', { id: `tip${c}`, class: c, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' }, svg('path', { d: 'M0 0L8 4L0 8z' })))));
	const edge = (from, to, kind) => picture.append(svg('path', { class: kind, d: kind === 'waits' ? `M240 ${y(from) + 16}C340 ${y(from) + 16} 380 ${y(to) + 16} 470 ${y(to) + 16}` : `M470 ${y(to) + 34}C380 ${y(to) + 34} 340 ${y(from) + 34} 242 ${y(from) + 34}`, 'marker-end': kind === 'waits' ? 'url(#tipbad)' : 'url(#tip)' }));

	waits.forEach((w, i) => {
		picture.append(svg('rect', { class: 'thread', x: 4, y: y(i), width: 236, height: 50, rx: 8 }),
			svg('text', { x: 16, y: y(i) + 21 }, clip(model.bug.threads[w.thread] || '', 30)),
			svg('text', { class: 'small', x: 16, y: y(i) + 40 }, clip(model.placeText(model.place(w.place)), 30)));
		w.holds.forEach((h) => edge(i, objects.indexOf(h.location), 'holds'));
		if (w.location !== null)
			edge(i, objects.indexOf(w.location), 'waits');
		else if (w.joins !== null && waits.some((o) => o.thread === w.joins)) {
			const to = waits.findIndex((o) => o.thread === w.joins);

			picture.append(svg('path', { class: 'waits', d: `M240 ${y(i) + 25}C300 ${y(i) + 25} 300 ${y(to) + 25} 242 ${y(to) + 25}`, 'marker-end': 'url(#tipbad)' }));
		}
	});
	objects.forEach((o, i) => picture.append(svg('rect', { x: 470, y: y(i), width: 246, height: 50, rx: 8 }),
		svg('text', { x: 482, y: y(i) + 30 }, clip(locations[o].name, 34))));
	return card('Who waits for whom', picture, make('ul', {}, waits.map((w) => make('li', {}, waitText(model, w)))),
		make('p', { class: 'value' }, 'Dashed: waits for. Solid: is held by.'));
}

function waitText(model, wait) {
	const name = (l) => model.bug.locations[l].name;
	const target = wait.joins !== null ? `the end of thread ${wait.joins}` : wait.location !== null ? name(wait.location) : 'something';
	const holds = wait.holds.map((h) => `${name(h.location)} (taken at ${model.placeText(model.place(h.place)) || '?'})`);

	const { signal } = wait;
	const signalled = signal === null || signal === undefined ? '' : `; last signalled in step ${signal}, at ${model.line(model.steps[signal])}`;

	return `${model.bug.threads[wait.thread]} waits for ${target} at ${model.placeText(model.place(wait.place)) || '?'}${holds.length ? `, holding ${holds.join(' and ')}` : ''}${signalled}`;
}

// What is known of one step, and its source.
class Side {
	constructor(model) {
		this.model = model;
		this.about = make('div', { class: 'about', tabindex: '0', role: 'region', 'aria-label': 'The chosen step' });
		this.source = make('div', { class: 'source', tabindex: '0', role: 'region', 'aria-label': 'Source' });
		this.box = make('div', { class: 'side' }, this.about, this.source);
	}

	show(number) {
		const { model } = this;
		const step = model.steps[number];
		const held = model.held(step);
		const value = model.value(step).trim();
		const facts = [
			['Thread', model.bug.threads[step.thread] || `thread ${step.thread}`],
			step.location !== undefined ? ['Location', `${model.location(step)}${step.size ? `, ${plural(step.size, 'byte')}` : ''}`] : null,
			value ? ['Value', value] : null,
			['Holds', held.length ? held.map((h) => `${h.kind} ${model.bug.locations[h.location].name}`).join(', ') : 'no lock'],
		].filter(Boolean);

		this.about.replaceChildren(
			make('h3', {}, `${number}: ${model.what(step)}`),
			make('dl', {}, facts.flatMap(([k, v]) => [make('dt', {}, k), make('dd', {}, v)]),
				make('dt', {}, 'Stack'),
				make('dd', {}, make('ol', {}, model.stack(step).map((p) => make('li', {},
					`${p.function || '?'} `, p.file && p.line ? make('button', { type: 'button', class: 'linkish', onclick: () => this.look(p) }, `${baseName(p.file)}:${p.line}`) : null))))));
		this.look(model.place(step.place));
	}

	look(place) {
		const lines = place && this.model.lines.get(place.file);

		if (!lines) {
			this.source.replaceChildren(make('div', { class: 'file' }, place && place.file ? `${place.file}: the source is not there` : 'No source is known for this step.'));
			this.file = null;
			return;
		}
		if (this.file !== place.file)
			this.open(place.file, lines);
		this.rows.get(this.here)?.classList.remove('here');
		this.here = place.line;
		const row = this.rows.get(place.line);

		if (row) {
			row.classList.add('here');
			this.source.scrollTop = row.offsetTop - this.source.offsetTop - this.source.clientHeight / 3;
		}
	}

	open(file, lines) {
		const used = new Set(this.model.bug.places.filter((p) => p.file === file).map((p) => p.line));
		const all = [make('div', { class: 'file' }, file)];
		let before = null;

		this.file = file;
		this.rows = new Map();
		for (const [number, text] of lines) {
			if (before !== null && number !== before + 1)
				all.push(make('div', { class: 'file' }, '⋯'));
			const row = make('div', { class: used.has(number) ? 'l used' : 'l' }, make('span', {}, String(number)), make('span', {}, text));

			this.rows.set(number, row);
			all.push(row);
			before = number;
		}
		this.source.replaceChildren(...all);
	}
}

function runPart(model, lanes, side) {
	const used = [...new Set(model.steps.map((s) => s.thread))].sort((a, b) => a - b);
	const off = new Set();
	const count = make('span', { class: 'value' });
	const search = make('input', { type: 'search', id: 'filter', placeholder: 'Filter: thread, location, line', 'aria-label': 'Filter by thread, location or source line', oninput: () => refresh() });
	const shared = make('input', { type: 'checkbox', onchange: () => refresh() });
	const chips = used.map((thread) => make('button', {
		type: 'button', class: 'chip', lane: thread, 'aria-pressed': 'true',
		onclick: (event) => {
			if (!off.delete(thread))
				off.add(thread);
			event.currentTarget.setAttribute('aria-pressed', String(!off.has(thread)));
			refresh();
		},
	}, model.bug.threads[thread] || `thread ${thread}`));

	shared.checked = model.steps.length > 40;
	function refresh() {
		const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
		const steps = [];

		for (let i = 0; i < model.steps.length; i++) {
			if (off.has(model.steps[i].thread) || (shared.checked && !model.isShared(model.steps[i])))
				continue;
			if (words.length) {
				const text = model.text(i);

				if (!words.every((w) => text.includes(w)))
					continue;
			}
			steps.push(i);
		}
		const some = steps.length === model.steps.length ? plural(steps.length, 'step') : `${steps.length.toLocaleString('en')} of ${plural(model.steps.length, 'step')}`;

		const less = model.bug.left_out ? `${some} (${plural(model.bug.left_out, 'more is', 'more are')} left out, where ⋮ stands)` : some;

		count.textContent = model.file ? `${less}, lines of ${baseName(model.file)}` : less;
		lanes.show(steps, used.filter((t) => !off.has(t)));
	}
	const part = make('section', { class: 'card run', 'aria-label': 'The failing run' },
		make('div', { class: 'bar' }, make('h2', {}, 'The failing run'), count, search,
			make('label', {}, shared, 'shared memory only'),
			make('button', { type: 'button', onclick: () => lanes.goSwitch(-1) }, '↑ switch'),
			make('button', { type: 'button', onclick: () => lanes.goSwitch(1) }, '↓ switch')),
		make('div', { class: 'chips', role: 'group', 'aria-label': 'Threads' }, chips),
		lanes.mini,
		make('div', { class: 'panes' }, lanes.box, side.box));

	part.refresh = refresh;
	return part;
}

function schedulePart(bug) {
	return card('The schedule', tablePart('switches', ['#No.', 'Thread', 'What', 'Where', 'Then'], bug.schedule.map((s, i) => make('tr', {},
		make('td', { class: 'num' }, String(i + 1)), make('td', {}, bug.threads[s.thread] || `thread ${s.thread}`),
		make('td', {}, `${s.what} before ${s.before}`), make('td', {}, make('code', {}, `${s.where || ''} ${s.source || ''}`)),
		make('td', {}, bug.threads[s.to] || String(s.to))))));
}

let view = null; // of the failure that is shown: { model, lanes }

function bugParts(bug, step) {
	const model = new RunModel(bug);
	const side = new Side(model);
	const lanes = new Lanes(model, (number, quietly) => {
		side.show(number);
		history.replaceState(null, '', `#bug=${encodeURIComponent(bug.name)}&step=${number}`);
		if (!quietly)
			say(model.sentence(number));
	});
	const parts = [make('div', { class: 'head' },
		make('div', { class: 'kind' }, `✗ ${bug.kind}`),
		make('h1', {}, bug.text),
		make('div', { class: 'facts' },
			make('span', {}, make('code', {}, commandText(bug.command))),
			make('span', {}, 'found by ', make('b', {}, bug.strategy || '?'), `, seed ${bug.seed}`),
			bug.replayed ? make('span', {}, 'replayed ', make('b', {}, `${bug.replayed.same} of ${bug.replayed.times}`)) : null,
			make('span', {}, plural(bug.threads.length, 'thread')),
			bug.switches ? make('span', {}, plural(bug.switches.length, 'switch', 'switches')) : null))];

	view = { model, lanes };
	document.title = `${bug.name}: ${bug.text}`;
	if (bug.note)
		parts.push(make('p', { class: 'note' }, bug.note));
	const left = [], right = [];

	if (bug.suspect)
		left.push(suspectPart(model, lanes));
	if (bug.waits && bug.waits.length && /deadlock|hang|livelock/.test(bug.kind))
		left.push(waitsPart(model));
	if (bug.linear)
		left.push(...linearParts(bug.linear));
	if (bug.located)
		left.push(locatedPart(bug.located));
	right.push(card('See it again', make('div', { class: 'copy' }, copyButton(`heddle replay ${bug.name}`), copyButton(`heddle replay ${bug.name} --gdb`), copyButton(`heddle show ${bug.name}`))));
	if (bug.details && !bug.linear)
		right.push(card('Where it failed', make('pre', { class: 'text', tabindex: '0' }, bug.details)));
	if (bug.output)
		right.push(card('What it printed', make('pre', { class: 'text', tabindex: '0' }, bug.output)));
	parts.push(left.length ? make('div', { class: 'cols' }, make('div', {}, left), make('div', {}, right)) : make('div', {}, right));
	if (model.steps.length) {
		const run = runPart(model, lanes, side);

		parts.push(run);
		view.start = () => {
			run.refresh();
			lanes.goStep(step ?? model.suspects[0] ?? model.steps.length - 1);
		};
	} else {
		parts.push(schedulePart(bug));
	}
	return parts;
}

// ---- where we are ----

function route() {
	const at = new URLSearchParams(location.hash.slice(1));
	const bug = data.bugs.find((b) => b.name === at.get('bug')) || (data.bugs.length === 1 && !data.tests.length && !at.has('overview') ? data.bugs[0] : null);
	const step = at.has('step') && bug && bug.steps && bug.steps[at.get('step')] ? Number(at.get('step')) : null;

	view = null;
	byId('main').replaceChildren(...(bug ? bugParts(bug, step) : overview()));
	byId('nav').replaceChildren(
		make('a', { href: '#overview', 'aria-current': bug ? null : 'page' }, 'Overview'),
		...data.bugs.map((b) => make('a', { href: `#bug=${encodeURIComponent(b.name)}`, 'aria-current': b === bug ? 'page' : null }, b.name)));
	byId('nav').querySelector('[aria-current]').scrollIntoView({ inline: 'center', block: 'nearest' });
	if (view && view.start)
		view.start();
}

function nextSuspect() {
	const { suspects } = view.model;
	const next = suspects.find((n) => n > view.lanes.at);

	if (suspects.length)
		view.lanes.goStep(next ?? suspects[0]);
}

const KEYS = {
	n: () => view.lanes.goSwitch(1),
	p: () => view.lanes.goSwitch(-1),
	j: () => view.lanes.go(view.lanes.position + 1),
	k: () => view.lanes.go(view.lanes.position - 1),
	s: nextSuspect,
	'/': () => byId('filter').focus(),
};

document.addEventListener('keydown', (event) => {
	const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== 'checkbox';

	if (event.key === 'Escape' && typing) {
		event.target.value = '';
		event.target.dispatchEvent(new Event('input'));
		view.lanes.box.focus();
		return;
	}
	if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
		return;
	if (event.key === '?') {
		byId('help').showModal();
	} else if (view && view.model.steps.length && KEYS[event.key]) {
		event.preventDefault();
		KEYS[event.key]();
	}
});

const SCHEMES = ['system', 'light', 'dark'];

byId('keys').addEventListener('click', () => byId('help').showModal());
byId('scheme').addEventListener('click', (event) => {
	const now = document.documentElement.dataset.scheme || 'system';
	const next = SCHEMES[(SCHEMES.indexOf(now) + 1) % SCHEMES.length];

	if (next === 'system')
		delete document.documentElement.dataset.scheme;
	else
		document.documentElement.dataset.scheme = next;
	event.currentTarget.textContent = `Theme: ${next}`;
	if (view)
		view.lanes.strip();
});
addEventListener('hashchange', route);
route();
