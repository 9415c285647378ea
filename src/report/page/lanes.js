// SPDX-License-Identifier: Apache-2.0
//
// The steps of a run as lanes: a column for each thread, time goes down. Only
// the rows in view are in the document, so that a hundred thousand steps are
// as quick as ten. Above them the whole run as a strip, one line a thread.
'use strict';

// An element; text becomes text and never markup.
function make(tag, attributes, ...children) {
	const e = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (key.startsWith('on'))
			e.addEventListener(key.slice(2), value);
		else if (key === 'lane')
			e.style.setProperty('--lane', laneColour(value));
		else
			e.setAttribute(key, value === true ? '' : value);
	}
	for (const child of children.flat()) {
		if (child !== null && child !== undefined)
			e.append(child);
	}
	return e;
}

const laneColour = (thread) => `var(--t${thread % 8})`;

// 1, 2, 3 in circles.
const tagText = (n) => (n < 20 ? String.fromCodePoint(0x2460 + n) : `(${n + 1})`);

const ROW = 26;
const HEAD = 28;
const NUMBERS = 74;
const MARGIN_ROWS = 12;

class Lanes {
	// `model`: a RunModel of page.js; `chosen(step)` is called for what the
	// reader looks at.
	constructor(model, chosen) {
		this.model = model;
		this.chosen = chosen;
		this.shown = [];
		this.threads = [];
		this.at = -1;
		this.columns = [];
		this.rows = make('div', { class: 'rows' });
		this.names = make('div', { class: 'lane-names', 'aria-hidden': 'true' });
		this.box = make('div', {
			class: 'lanes', tabindex: '0', role: 'listbox',
			'aria-label': 'Steps of the failing run',
			onscroll: () => this.draw(),
			onkeydown: (event) => this.key(event),
		}, this.names, this.rows);
		this.canvas = make('canvas', { role: 'img', 'aria-label': 'The whole run, a line for each thread' });
		this.mini = make('div', { class: 'mini', onpointerdown: (event) => this.jump(event) }, this.canvas);
		this.drawn = new Map();
		new ResizeObserver(() => this.layout()).observe(this.box);
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.strip());
	}

	// Which steps are shown: numbers in ascending order.
	show(steps, threads) {
		const before = this.at;

		this.shown = steps;
		this.threads = threads;
		this.layout();
		if (before >= 0)
			this.go(this.nearest(before), true);
	}

	nearest(step) {
		let low = 0, high = this.shown.length - 1;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.shown[middle] < step)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	layout() {
		const room = Math.max(this.box.clientWidth - NUMBERS, 120);
		const width = Math.max(room / Math.max(this.threads.length, 1), 190);

		this.columns = [];
		this.names.replaceChildren();
		this.threads.forEach((thread, i) => {
			const left = NUMBERS + i * width;
			const name = make('span', { lane: thread }, this.model.bug.threads[thread] || `thread ${thread}`);

			this.columns[thread] = { left, width: width - 8 };
			name.style.left = `${left}px`;
			name.style.width = `${width - 8}px`;
			this.names.append(name);
		});
		this.rows.style.height = `${this.shown.length * ROW}px`;
		this.rows.style.width = `${NUMBERS + this.threads.length * width}px`;
		this.names.style.width = this.rows.style.width;
		this.clear();
		this.draw();
		this.strip();
	}

	clear() {
		this.drawn.forEach((row) => row.remove());
		this.drawn.clear();
	}

	draw() {
		const first = Math.max(Math.floor((this.box.scrollTop - HEAD) / ROW) - MARGIN_ROWS, 0);
		const last = Math.min(Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + MARGIN_ROWS, this.shown.length);

		for (const [i, row] of this.drawn) {
			if (i < first || i >= last) {
				row.remove();
				this.drawn.delete(i);
			}
		}
		for (let i = first; i < last; i++) {
			if (!this.drawn.has(i)) {
				const row = this.row(i);

				this.drawn.set(i, row);
				this.rows.append(row);
			}
		}
		if (this.drawn.has(this.position))
			this.box.setAttribute('aria-activedescendant', `row-${this.shown[this.position]}`);
		else
			this.box.removeAttribute('aria-activedescendant');
	}

	row(i) {
		const number = this.shown[i];
		const model = this.model;
		const step = model.steps[number];
		const why = model.switchAt.get(number);
		const column = this.columns[step.thread];
		const tag = model.suspects.indexOf(number);
		const isGap = model.isGap(i > 0 ? this.shown[i - 1] : -1, number);
		const classes = ['row'];

		if (why !== undefined && i > 0 && this.shown[i - 1] === number - 1)
			classes.push(why === 'preempt' ? 'preempt' : 'switch');
		if (tag >= 0)
			classes.push('suspected');
		if (isGap)
			classes.push('gap');
		if (number === this.at)
			classes.push('chosen');
		const row = make('div', {
			class: classes.join(' '), id: `row-${number}`, role: 'option',
			'aria-selected': number === this.at ? 'true' : 'false',
			'aria-setsize': this.shown.length, 'aria-posinset': i + 1,
			'aria-label': model.sentence(number),
			onclick: () => this.go(i),
		}, make('span', { class: 'no' }, isGap ? `⋮ ${number}` : String(number)));

		row.style.top = `${i * ROW}px`;
		for (const thread of this.threads) {
			const rail = make('span', { class: 'rail' });

			rail.style.left = `${this.columns[thread].left + 1}px`;
			row.append(rail);
		}
		if (column) {
			const cell = make('span', { class: 'cell', lane: step.thread, title: model.sentence(number) },
				tag >= 0 ? make('span', { class: 'tag' }, `${tagText(tag)} `) : null,
				make('span', { class: 'where' }, model.shortLine(step)),
				' ', make('span', { class: 'what' }, model.shortWhat(step)),
				make('span', { class: 'value' }, model.value(step)));

			cell.style.left = `${column.left}px`;
			cell.style.width = `${column.width}px`;
			row.append(cell);
		}
		return row;
	}

	// To the i-th step that is shown.
	go(i, quietly) {
		if (!this.shown.length)
			return;
		this.position = Math.min(Math.max(i, 0), this.shown.length - 1);
		this.at = this.shown[this.position];
		const top = this.position * ROW;
		const view = this.box.clientHeight - HEAD;

		if (top < this.box.scrollTop || top + ROW > this.box.scrollTop + view)
			this.box.scrollTop = Math.max(top - view / 3, 0);
		this.clear();
		this.draw();
		this.strip();
		this.chosen(this.at, quietly);
	}

	goStep(step) {
		this.go(this.nearest(step));
	}

	// The next step, in a direction, that another thread took before.
	goSwitch(direction) {
		let i = this.position + direction;

		while (i > 0 && i < this.shown.length &&
			this.model.steps[this.shown[i]].thread === this.model.steps[this.shown[i - 1]].thread)
			i += direction;
		this.go(i);
	}

	key(event) {
		const page = Math.max(Math.floor(this.box.clientHeight / ROW) - 2, 1);
		const moves = {
			ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page,
			Home: -Infinity, End: Infinity,
		};

		if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in moves))
			return;
		event.preventDefault();
		this.go(this.position + moves[event.key]);
	}

	// ---- the strip ----

	strip() {
		const style = getComputedStyle(document.documentElement);
		const scale = devicePixelRatio || 1;
		const width = this.mini.clientWidth;
		const lane = this.threads.length > 12 ? 5 : 11;
		const height = this.threads.length * lane + 8;
		const canvas = this.canvas;

		if (!width || !this.shown.length)
			return;
		canvas.width = width * scale;
		canvas.height = height * scale;
		canvas.style.height = `${height}px`;
		const g = canvas.getContext('2d');

		g.scale(scale, scale);
		this.stretches((thread, from, to) => {
			const y = 4 + this.threads.indexOf(thread) * lane;

			g.fillStyle = style.getPropertyValue(`--t${thread % 8}`);
			g.fillRect(from / this.shown.length * width, y,
				Math.max((to - from) / this.shown.length * width, 1), lane - 3);
		});
		g.fillStyle = style.getPropertyValue('--warn');
		for (const step of this.model.suspects)
			g.fillRect(this.nearest(step) / this.shown.length * width, 0, 2, height);
		g.fillStyle = style.getPropertyValue('--ink');
		g.fillRect((this.position || 0) / this.shown.length * width, 0, 1.5, height);
	}

	stretches(each) {
		const { steps } = this.model;
		let from = 0;

		for (let i = 1; i <= this.shown.length; i++) {
			const thread = steps[this.shown[from]].thread;

			if (i < this.shown.length && steps[this.shown[i]].thread === thread)
				continue;
			each(thread, from, i);
			from = i;
		}
	}

	jump(event) {
		const box = this.mini.getBoundingClientRect();

		this.go(Math.floor((event.clientX - box.left) / box.width * this.shown.length));
		this.box.focus({ preventScroll: true });
	}
}
