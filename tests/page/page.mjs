// SPDX-License-Identifier: Apache-2.0
//
// node page.mjs DIRECTORY CHROMIUM: the page in a real browser. DIRECTORY has
// page.html (one failure, whose program and source would like to be markup),
// locks.html (a deadlock and two tests), requests.html (what is not linearizable),
// report.json, requests.json and report.sarif; screenshots are left there. Each check is a line; the first that fails ends with 1.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';

const [directory, executablePath, modules] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'package.json'));
const { chromium } = require('playwright-core');
const { AxeBuilder } = require('@axe-core/playwright');
const Ajv = require('ajv/dist/2020').default;
const addFormats = require('ajv-formats').default || require('ajv-formats');
const here = path.dirname(fileURLToPath(import.meta.url));
const file = (name) => path.join(directory, name);
const json = (name) => JSON.parse(readFileSync(name, 'utf8'));

async function check(name, does) {
	await does();
	console.log(`ok: ${name}`);
}

// ---- documents ----

function validate(schema, document) {
	const ajv = new Ajv({ allErrors: false, strict: false });

	addFormats(ajv);
	assert.ok(ajv.validate(schema, document), ajv.errorsText());
}

await check('the JSON is as its schema says', () =>
	['report.json', 'requests.json'].forEach((name) => validate(json(path.join(here, '../../docs/report.schema.json')), json(file(name)))));
await check('the SARIF is as the standard says', () =>
	validate(json(path.join(here, 'sarif.schema.json')), json(file('report.sarif'))));

// ---- the page ----

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

// A page that may ask for nothing and complain of nothing.
async function open(name, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
	const page = await context.newPage();
	const url = pathToFileURL(file(name)).href;

	page.setDefaultTimeout(60000);
	page.complaints = [];
	page.on('console', (m) => ['error', 'warning'].includes(m.type()) && page.complaints.push(m.text()));
	page.on('pageerror', (e) => page.complaints.push(String(e)));
	page.on('dialog', (d) => page.complaints.push(`dialog: ${d.message()}`) && d.dismiss());
	page.on('request', (r) => r.url() !== url && !r.url().startsWith('data:') && page.complaints.push(`request: ${r.url()}`));
	await page.goto(url);
	await page.waitForSelector('main > *');
	return page;
}

async function close(page) {
	assert.deepEqual(page.complaints, []);
	await page.context().close();
}

const chosen = (page) => page.locator('.row.chosen').getAttribute('id').then((id) => Number(id.slice(4)));
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function accessible(page) {
	const { violations } = await new AxeBuilder({ page }).analyze();

	assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), []);
}

const page = await open('page.html');

await check('lanes are drawn', async () => {
	assert.ok(await page.locator('.row').count() > 5);
	assert.equal(await page.locator('.lane-names span').count(), 3);
	assert.ok(await page.evaluate(() => {
		const canvas = document.querySelector('canvas');

		return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((v) => v);
	}), 'the strip is empty');
	assert.equal(await page.locator('.row.suspected').count(), 3);
});
await check('source is shown', async () => {
	assert.match(await page.locator('.source .here').innerText(), /balance \+=/);
	assert.match(await page.locator('.about').innerText(), /no lock/);
	await page.setViewportSize({ width: 1360, height: 420 });
	await page.locator('.row').last().click();
	assert.ok(await page.evaluate(() => {
		const line = document.querySelector('.source .here').getBoundingClientRect();
		const box = document.querySelector('.source').getBoundingClientRect();

		return line.top >= box.top - 1 && line.bottom <= box.bottom + 1;
	}), 'the line is out of view');
	await page.setViewportSize({ width: 1360, height: 900 });
});
await check('the keyboard goes from switch to switch', async () => {
	await page.keyboard.press('Home');
	await page.locator('.lanes').focus();
	await page.keyboard.press('Home');
	assert.equal(await chosen(page), 0);
	await page.keyboard.press('n');
	const first = await chosen(page);

	await page.keyboard.press('n');
	const second = await chosen(page);

	assert.ok(first > 0 && second > first);
	await page.keyboard.press('p');
	assert.equal(await chosen(page), first);
	await page.keyboard.press('ArrowDown');
	assert.equal(await chosen(page), first + 1);
	await page.keyboard.press('s');
	assert.ok(await page.locator('.row.chosen.suspected').count());
	assert.match(page.url(), /#bug=bank-1&step=\d+$/);
});
await check('the filter leaves what was asked for', async () => {
	await page.keyboard.press('/');
	await page.keyboard.type('write balance');
	await page.waitForFunction(() => document.querySelectorAll('.row').length === 2);
	for (const text of await page.locator('.row .what').allInnerTexts())
		assert.match(text, /write balance/);
	await page.keyboard.press('Escape');
	await page.waitForFunction(() => document.querySelectorAll('.row').length > 5);
	await page.locator('.chip').first().click();
	await page.waitForFunction(() => document.querySelectorAll('.lane-names span').length === 2);
	await page.locator('.chip').first().click();
	await page.fill('#filter', 'bank.c:8');
	await page.waitForFunction(() => [...document.querySelectorAll('.row .where')].every((e) => e.textContent === ':8'));
	await page.fill('#filter', '');
});
await check('hostile names are text', async () => {
	assert.equal(await page.locator('main img').count(), 0);
	assert.match(await page.locator('.facts').innerText(), /<img src=x/);
});
await check('keys are told, and the theme changes', async () => {
	await page.locator('.lanes').focus();
	await page.keyboard.press('?');
	assert.ok(await page.locator('dialog[open]').count());
	await page.keyboard.press('Escape');
	const before = await background(page);

	await page.click('#scheme');
	await page.click('#scheme');
	assert.notEqual(await background(page), before);
	await page.click('#scheme');
});
await check('light, for everyone', async () => {
	await page.emulateMedia({ colorScheme: 'light' });
	await accessible(page);
	await page.screenshot({ path: file('light.png') });
});
await check('dark, for everyone', async () => {
	const before = await background(page);

	await page.emulateMedia({ colorScheme: 'dark' });
	assert.notEqual(await background(page), before);
	await accessible(page);
	await page.screenshot({ path: file('dark.png') });
});
await close(page);

await check('an overview and a deadlock', async () => {
	const locks = await open('locks.html');

	await accessible(locks);
	assert.match(await locks.locator('main').innerText(), /1 of 2 tests broken[^]*abba/);
	assert.match(await locks.locator('main').innerText(), /class(es)?, complete/);
	assert.ok(await locks.locator('.chart .line').count() >= 1, 'no curve');
	assert.match(await locks.locator('.charts').first().innerText(), /\d+ of \d+ feasible interleavings? exercised/);
	await locks.screenshot({ path: file('overview.png') });
	await locks.locator('main a[href^="#bug="]').first().click();
	await locks.waitForSelector('.graph');
	assert.ok(await locks.locator('.graph .waits').count() >= 2);
	assert.equal(await locks.locator('.row.suspected').count(), 2);
	await accessible(locks);
	await locks.screenshot({ path: file('deadlock.png') });
	await close(locks);
});

await check('requests and serial orders', async () => {
	const requests = await open('requests.html');
	const text = await requests.locator('main').innerText();

	assert.match(text, /One by one: [123 ]+/);
	assert.match(text, /Component counter has \d, lacks \d/);
	assert.match(text, /replayed 3 of 3/);
	assert.equal(await requests.locator('.history rect').count(), 3);
	assert.equal(await requests.locator('.note').count(), 0);
	await accessible(requests);
	await requests.screenshot({ path: file('requests.png'), fullPage: true });
	await close(requests);
});

await check('a phone', async () => {
	const phone = await open('page.html', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });

	assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than the screen');
	await phone.screenshot({ path: file('phone.png') });
	await close(phone);
});

// The same failure with very many steps.
function lengthen(html, wanted) {
	const [, head, text, rest] = /^([^]*<script type="application\/json" id="data">)([^]*?)(<\/script>[^]*)$/.exec(html);
	const data = JSON.parse(text);
	const bug = data.bugs[0];
	const few = bug.steps;

	bug.steps = Array.from({ length: wanted }, (_, i) => ({ ...few[i % few.length], thread: Math.floor(i / 50) % 3 }));
	bug.switches = bug.steps.flatMap((s, i) => (i && bug.steps[i - 1].thread !== s.thread ? [{ step: i, from: bug.steps[i - 1].thread, to: s.thread, why: 'preempt' }] : []));
	return head + JSON.stringify(data).replaceAll('<', '\\u003c') + rest;
}

await check('100,000 steps', async () => {
	writeFileSync(file('long.html'), lengthen(readFileSync(file('page.html'), 'utf8'), 100000));
	const long = await open('long.html');

	await long.locator('.lanes').focus();
	await long.keyboard.press('End');
	assert.ok(await chosen(long) > 99900);
	assert.ok(await long.locator('.row').count() < 200, 'rows out of view are in the document');
	const frames = await long.evaluate(async () => {
		const box = document.querySelector('.lanes');
		const times = [];

		for (let i = 0; i < 60; i++) {
			const began = performance.now();

			box.scrollTop = (i * 7919 % 60) / 60 * box.scrollHeight;
			box.dispatchEvent(new Event('scroll'));
			box.getBoundingClientRect();
			times.push(performance.now() - began);
			await new Promise(requestAnimationFrame);
		}
		return times.sort((a, b) => a - b)[30];
	});

	console.log(`    a jump in 100,000 steps is drawn in ${frames.toFixed(1)} ms (median)`);
	await long.fill('#filter', 'write balance');
	await long.waitForFunction(() => /of 100,000/.test(document.querySelector('.bar').textContent));
	await close(long);
});

await browser.close();
