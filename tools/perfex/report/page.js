// SPDX-License-Identifier: LGPL-2.1-or-later
// Shows the documents of #data, which docs/perfex.schema.json describes. Words from them enter the page as text only,
// never as HTML: their authors are unknown.
"use strict";
(() => {
const $ = id => document.getElementById(id);
const sources = JSON.parse($("data").textContent);
$("data").remove();	// it may be large
const main = $("main");

// ---- text and elements ----

// Characters that nobody sees, or that turn their neighbours around, are shown as numbers.
const hidden = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202f" +
	"\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]", "gu");
const clean = text => String(text).replace(hidden, letter =>
	"\u27e8U+" + letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== undefined && value !== null && value !== false)
			element.setAttribute(name, typeof value === "string" ? clean(value) : value);
	for (const child of children.flat(Infinity))
		if (child !== undefined && child !== null)
			element.append(child instanceof Node ? child : clean(child));
	return element;
}
const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
	fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
// A name from outside: it does not change the direction of the text around it.
const named = text => el("bdi", { class: String(text).length > 40 ? "name long" : "name" }, text);

const format = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const small = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 5 });
const numberOf = value => value === null || value === undefined || Number.isNaN(value) ? "\u2013" :
	Math.abs(value) < 1 ? small.format(value) : format.format(value);
const number = numberOf;
const percent = value => value === null || value === undefined || !Number.isFinite(value) ? "\u2013" :
	(value > 0 ? "+" : "") + value.toFixed(2) + " %";

let last = 0;
const unique = () => "id" + ++last;
const contents = [];	// of the page: headings

function section(level, title, ...children) {
	const id = unique();
	if (level === 2)
		contents.push([id, title]);
	return el("section", { "aria-labelledby": id }, el("h" + level, { id, tabindex: -1 }, title), ...children);
}

// ---- what is exact, and what is not ----

const isExact = quality => quality === "exact";
const isCounted = item => item.value !== null && item.value !== undefined;

// A number, which looks different if it was estimated.
function shown(value, quality, unit) {
	if (value === null || value === undefined)
		return el("span", { class: "none" }, quality || "none");
	const text = number(value) + (unit ? " " + unit : "");
	return isExact(quality) ? text : el("span", { class: "estimate" }, "\u2248 " + text);
}
const qualityMark = quality => el("span", { class: "quality" + (isExact(quality) ? "" : quality === "not counted" ? " none" :
	" estimate") }, quality);

// ---- tables ----

// Compares by a column; what has no value comes last in either direction.
function order(value, direction) {
	return (one, two) => {
		const a = value(one), b = value(two), none = a === null || a === undefined || Number.isNaN(a);
		if (none || b === null || b === undefined || Number.isNaN(b))
			return none - (b === null || b === undefined || Number.isNaN(b));
		return direction * (typeof a === "string" ? a.localeCompare(b) : a - b);
	};
}

// A table that can be sorted, and searched if it is long. A column has a name, a value of a row, and perhaps what is
// to be shown for it. Rows are made when they are wanted.
function table(caption, columns, rows, options = {}) {
	const step = options.step || 100, body = el("tbody"), heads = [];
	const state = el("output", { "aria-live": "polite" });
	const more = el("button", { type: "button" }, "Show more");
	const search = el("input", { type: "search", "aria-label": "Search in: " + caption, placeholder: "search" });
	let found = rows, made = 0;

	function cell(column, row, first) {
		const value = column.value(row);
		const attributes = {
			class: [column.number ? "number" : "", column.class || ""].join(" ").trim() || null,
			"data-value": typeof value === "number" ? value : null,
		};
		const content = column.show ? column.show(row) : column.number ? number(value) : value;
		const made = el(first ? "th" : "td", first ? { ...attributes, scope: "row" } : attributes, content);
		if (column.style)
			column.style(made, row);
		return made;
	}
	function show(n) {
		const upto = Math.min(found.length, made + n);
		for (; made < upto; made++)
			body.append(el("tr", {}, columns.map((column, i) => cell(column, found[made], i === 0))));
		more.hidden = made === found.length;
		state.textContent = made === rows.length ? "" : `${made} of ${found.length} rows shown` +
			(found.length === rows.length ? "" : `, of ${rows.length} in all`);
	}
	function begin() {
		body.replaceChildren();
		made = 0;
		show(step);
	}
	function sort(i) {
		const old = heads[i].getAttribute("aria-sort");
		const up = old ? old === "descending" : !columns[i].number;
		heads.forEach(head => head.removeAttribute("aria-sort"));
		heads[i].setAttribute("aria-sort", up ? "ascending" : "descending");
		rows = rows.slice().sort(order(columns[i].value, up ? 1 : -1));
		find();
	}
	function find() {
		const word = search.value.toLowerCase();
		const texts = columns.filter(column => !column.number);
		found = word ? rows.filter(row => texts.some(column =>
			String(column.value(row)).toLowerCase().includes(word))) : rows;
		begin();
	}
	columns.forEach((column, i) => {
		const button = el("button", { type: "button" }, column.name);
		button.addEventListener("click", () => sort(i));
		heads.push(el("th", { scope: "col", class: column.number ? "number" : null }, button));
	});
	search.addEventListener("input", find);
	more.addEventListener("click", () => show(step * 5));
	begin();
	if (options.sort !== undefined)
		sort(options.sort);
	const long = rows.length > 12;
	return el("div", { class: options.class },
		long ? el("div", { class: "tools" }, search, state) : null,
		el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
			el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body)),
		more);
}

// ---- charts ----

const charts = [];	// functions that draw them for the width that there is

function widthOf(figure) {
	return Math.max(Math.floor(figure.clientWidth || main.clientWidth || 600), 240);
}

// A figure whose marks the arrow keys visit, so that a screen reader reads their titles. draw(width) returns the marks
// of an image, and their descriptions.
function chart(caption, label, height, draw) {
	const told = el("output", { "aria-live": "polite" });
	const place = el("div");
	const figure = el("figure", { tabindex: 0, role: "group", "aria-label": label + " Arrow keys read the values." },
		el("figcaption", {}, caption), place, told);
	let marks = [], at = -1;

	charts.push(() => {
		const width = widthOf(figure);
		const image = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
		marks = draw(image, width);
		place.replaceChildren(image);
	});
	figure.addEventListener("keydown", event => {
		const step = { ArrowRight: 1, ArrowLeft: -1, Home: -marks.length, End: marks.length }[event.key];
		if (!step || !marks.length || event.target !== figure)
			return;
		event.preventDefault();
		if (at >= 0)
			marks[at].classList.remove("now");
		at = Math.min(Math.max(at + step, 0), marks.length - 1);
		marks[at].classList.add("now");
		told.textContent = marks[at].textContent;
	});
	return figure;
}

// A hatched pattern for what was not counted; one for the whole page.
const patterns = svg("svg", { width: 0, height: 0, "aria-hidden": "true", style: "position:absolute" },
	svg("defs", {}, svg("pattern", { id: "gap", width: 6, height: 6, patternUnits: "userSpaceOnUse",
		patternTransform: "rotate(45)" }, svg("line", { y2: 6, stroke: "currentColor", "stroke-opacity": 0.35 }))));

// Intervals: { from, to, value, quality, reason, text }. A bar for each, hatched where there is no count.
function timeLine(name, unit, items) {
	const end = items[items.length - 1].to, height = 110, base = 92, top = 14;
	const most = items.reduce((m, item) => Math.max(m, item.value || 0), 0);
	const gaps = items.filter(item => item.value === null).length;
	const doubts = items.filter(item => item.value !== null && !isExact(item.quality)).length;
	const label = `Time line of ${name}: ${items.length} intervals, at most ${number(most)} ${unit}, ` +
		`${doubts} estimated, ${gaps} not counted.`;
	return chart([named(name), ` at most ${number(most)} ${unit} in an interval` + (doubts ? `, ${doubts} estimated` : "") +
		(gaps ? `, ${gaps} not counted` : "")], label, height, (image, width) => {
		const x = time => time / end * (width - 2) + 1;
		const marks = items.map(item => {
			const high = item.value === null ? base - top : most ? item.value / most * (base - top) : 0;
			const exact = isExact(item.quality);
			return svg("rect", {
				x: x(item.from).toFixed(2), width: Math.max(x(item.to) - x(item.from) - 0.5, 0.5).toFixed(2),
				y: (base - high).toFixed(2), height: high.toFixed(2),
				class: item.value === null ? "gap-mark" : exact ? "exact-mark" : "estimate-mark",
				"data-value": item.value === null ? "null" : item.value, "data-time": item.to,
			}, svg("title", {}, `${number(item.from)} to ${number(item.to)} s: ` +
				(item.value === null ? `not counted${item.reason ? ": " + item.reason : ""}` :
				`${exact ? "" : "\u2248 "}${number(item.value)} ${unit} (${item.quality})`)));
		});
		image.append(svg("line", { class: "axis", x1: 0, x2: width, y1: base + 0.5, y2: base + 0.5 }), ...marks,
			svg("text", { x: 2, y: 11 }, number(most)), svg("text", { x: 2, y: height - 4 }, "0 s"),
			svg("text", { x: width - 2, y: height - 4, "text-anchor": "end" }, number(end) + " s"));
		return marks;
	});
}

// Values of runs as dots, with the median, and the deviation around the mean. Times a scale they are in the unit.
function dots(name, unit, scale, values, summary, isLeftOut, exact) {
	const number = value => numberOf(value * scale);
	const known = values.map((value, run) => ({ value, run })).filter(item => item.value !== null);
	const taken = known.filter(item => !isLeftOut(item.run));
	const all = known.map(item => item.value), height = 92;
	const low = Math.min(...all, summary.mean - summary.deviation);
	const high = Math.max(...all, summary.mean + summary.deviation);
	const label = `Runs of ${name}: ${taken.length} values from ${number(summary.minimum)} to ${number(summary.maximum)} ${unit}, ` +
		`median ${number(summary.median)}, mean ${number(summary.mean)}, deviation ${number(summary.deviation)}.`;
	return chart([named(name), ` median ${number(summary.median)}${unit && " " + unit}, mean ${number(summary.mean)} ` +
		`${plusMinus(summary.mean, summary.deviation, taken.length)}, deviation ${number(summary.deviation)}, ` +
		`${taken.length} runs`], label, height, (image, width) => {
		const x = value => high > low ? 12 + (value - low) / (high - low) * (width - 24) : width / 2;
		const marks = known.map(({ value, run }) => svg("circle", {
			cx: x(value).toFixed(2), cy: 18 + run * 17 % 48, r: 4, "data-value": value, "data-run": run + 1,
			class: exact && !isLeftOut(run) ? "exact-mark" : "estimate-mark",
		}, svg("title", {}, `run ${run + 1}: ${number(value)} ${unit}${isLeftOut(run) ? ", failed and left out" : ""}`)));
		image.append(svg("rect", { class: "spread", x: x(summary.mean - summary.deviation).toFixed(2), y: 8, height: 66,
			width: Math.max(x(summary.mean + summary.deviation) - x(summary.mean - summary.deviation), 1).toFixed(2),
			"data-value": summary.deviation }),
		svg("line", { class: "median", x1: x(summary.median), x2: x(summary.median), y1: 8, y2: 74,
			"data-value": summary.median }), ...marks,
		svg("text", { x: 2, y: height - 4 }, number(low)),
		svg("text", { x: width - 2, y: height - 4, "text-anchor": "end" }, number(high)));
		return marks;
	});
}

// ---- counts ----

const share = event => event.enabled_ns ? event.running_ns / event.enabled_ns * 100 : null;

function eventTable(caption, events) {
	return table(caption, [
		...(events.some(event => event.run) ? [{ name: "run", number: true, value: event => event.run, show: event => String(event.run) }] : []),
		{ name: "event", value: event => event.event, show: event => named(event.event) },
		{ name: "count", number: true, value: event => event.estimate,
			show: event => shown(event.scaled, event.quality, event.unit) },
		{ name: "quality", value: event => event.quality, show: event => qualityMark(event.quality) },
		{ name: "counted", number: true, value: share, show: event => share(event) === null ? "\u2013" :
			share(event).toFixed(share(event) === 100 ? 0 : 1) + " % of the time" },
		{ name: "reason", class: "reason", value: event => event.reason || "" },
	], events);
}

function metricTable(caption, metrics) {
	return table(caption, [
		{ name: "metric", value: metric => metric.metric, show: metric => named(metric.metric) },
		{ name: "value", number: true, value: metric => metric.value, show: metric => [
			shown(metric.value, metric.quality, metric.unit),
			metric.error === undefined ? "" : ` \u00b1 ${number(metric.error)}`] },
		{ name: "quality", value: metric => metric.quality, show: metric => qualityMark(metric.quality) },
		{ name: "threshold", value: metric => metric.threshold || "", show: metric => metric.threshold ?
			el("span", { class: metric.beyond ? "beyond" : null }, metric.threshold + (metric.beyond ? ": beyond" : "")) : "" },
		{ name: "reason", class: "reason", value: metric => metric.reason || "" },
	], metrics);
}

// ---- the top-down tree ----

const isNode = metric => metric.level !== undefined || metric.parent !== undefined;

// The metrics of a tree as rows, one for each level; a node lies below its parent. Parts that overlap, and are more than
// their parent together, are drawn smaller.
function treeRows(metrics) {
	const rows = [], nodes = metrics.filter(metric => isNode(metric) && isCounted(metric) && metric.unit === "%");
	const names = new Map(nodes.map(node => [node.metric, node]));
	const place = (parent, depth, left, scale) => {
		const parts = nodes.filter(node => names.get(node.parent) === parent && depth < 12);
		const sum = parts.reduce((all, node) => all + Math.max(node.value, 0), 0);
		const most = parent && Math.max(parent.value, 0);
		if (parent && sum > most)
			scale *= most / sum;
		parts.forEach(node => {
			const width = Math.max(node.value, 0) * scale;
			(rows[depth] = rows[depth] || []).push({ node, left, width });
			place(node, depth + 1, left, scale);
			left += width;
		});
	};
	place(undefined, 0, 0, 1);
	return rows;
}

function topDown(metrics) {
	const rows = treeRows(metrics);
	if (!rows.length)
		return null;
	const all = Math.max(100, ...rows[0].map(({ left, width }) => left + width));
	const part = ({ node, left, width }, depth) => {
		const text = `${node.metric}: ${isExact(node.quality) ? "" : "\u2248 "}${number(node.value)} %` +
			(node.threshold ? `, threshold ${node.threshold}${node.beyond ? ": beyond" : ""}` : "") +
			(node.sample ? `; to see where, sample ${node.sample}` : "");
		const made = el("div", { class: "part" + (node.beyond ? " over" : "") + (isExact(node.quality) ? "" : " doubt") +
			(width / all < 0.04 ? " small" : ""),
			role: "listitem", tabindex: 0, title: text, "aria-label": `level ${depth + 1}, ${text}`,
			"data-metric": node.metric, "data-value": node.value },
		el("span", {}, node.metric.replace(/^(topdown-|tma_)/, ""), el("br"), (isExact(node.quality) ? "" : "\u2248 ") +
			number(node.value) + " %"));
		made.style.left = left / all * 100 + "%";
		made.style.width = width / all * 100 + "%";
		return made;
	};
	return section(3, "Top-down tree", el("p", {}, "Each row is a level, and parts lie below their parents. " +
		"Hatched with a strong border: beyond its threshold. Dashed: an estimate."),
	el("div", { class: "levels" }, rows.map((row, depth) =>
		el("div", { class: "level", role: "list", "aria-label": "level " + (depth + 1) }, row.map(item => part(item, depth))))));
}

// ---- parts of counts: threads, processors, ... ----

const partKinds = {
	threads: ["thread", part => `${part.tid} ${part.comm}`], cgroups: ["cgroup", part => part.cgroup],
	by_cpu: ["processor", part => String(part.cpu)], by_core: ["core", part => part.core],
	by_socket: ["socket", part => part.socket], by_type: ["core type", part => part.type],
	by_unit: ["unit", part => part.pmu],
};

// A cell's colour is its share of the largest value.
function tint(cell, value, most) {
	if (value !== null && value !== undefined && most > 0)
		cell.style.setProperty("--share", (Math.max(value, 0) / most * 0.65).toFixed(3));
}

function partTables(counts) {
	return Object.entries(partKinds).filter(([key]) => counts[key]).map(([key, [kind, name]]) => {
		const rows = counts[key], columns = [{ name: kind, value: name, show: part => named(name(part)) }];
		const add = (list, label, value, scaled) => (rows[0][list] || []).forEach((head, i) => {
			const most = rows.reduce((m, part) => Math.max(m, value(part[list][i]) || 0), 0);
			columns.push({ name: head[label], number: true, class: "cell", value: part => value(part[list][i]),
				show: part => shown(scaled(part[list][i]), part[list][i].quality, part[list][i].unit),
				style: (cell, part) => tint(cell, value(part[list][i]), most) });
		});
		add("events", "event", event => event.estimate, event => event.scaled);
		add("metrics", "metric", metric => metric.value, metric => metric.value);
		return section(3, "By " + kind, table(`Counts of each ${kind}; a darker cell is nearer to the largest`, columns, rows,
			{ class: "heat" }));
	});
}

// ---- intervals ----

const mostCells = 20000;	// of a chart

// What parts, such as processors, counted in intervals: a row for each, darker where it was nearer to the most of all.
function partChart(kind, { name, unit, rows }, times) {
	const limit = Math.max(Math.floor(mostCells / times.length), 1);
	const sum = row => row.cells.reduce((all, cell) => all + (cell && cell.value || 0), 0);
	const taken = rows.length > limit ? rows.slice().sort((a, b) => sum(b) - sum(a)).slice(0, limit) : rows;
	const most = taken.reduce((m, row) => row.cells.reduce((n, cell) => Math.max(n, cell && cell.value || 0), m), 0);
	const left = rows.length - taken.length, step = 15, end = times[times.length - 1];
	// Long names end differently: uncore_imc_0, uncore_imc_1, and paths.
	const letters = taken.reduce((m, row) => Math.min(Math.max(m, row.name.length), 24), 9), margin = letters * 6.6;
	const labelled = name => name.length > letters ? "\u2026" + name.slice(1 - letters) : name;
	const label = `Time line of ${name} by ${kind}: ${taken.length} rows of ${times.length} intervals, at most ${number(most)} ${unit}.`;
	return chart([named(`${name} by ${kind}`), ` at most ${number(most)} ${unit} in an interval` +
		(left ? `; ${left} with less are left out` : "")], label, taken.length * step + 20, (image, width) => {
		const x = time => margin + time / end * (width - margin - 1);
		const marks = taken.flatMap((row, y) => times.map((to, i) => {
			const from = i ? times[i - 1] : 0, cell = row.cells[i], value = cell ? cell.value : null;
			const mark = svg("rect", { x: x(from).toFixed(2), width: Math.max(x(to) - x(from) - 0.5, 0.5).toFixed(2),
				y: y * step + 1, height: step - 2, "data-value": value === null ? "null" : value, "data-part": row.name,
				class: value === null ? "gap-mark" : "tint-mark" + (isExact(cell.quality) ? "" : " doubt"),
			}, svg("title", {}, `${kind} ${row.name}, ${number(from)} to ${number(to)} s: ` + (value === null ? "not counted" :
				`${isExact(cell.quality) ? "" : "\u2248 "}${number(value)} ${unit} (${cell.quality})`)));
			tint(mark, value, most);
			return mark;
		}));
		image.append(...marks, ...taken.map((row, y) => svg("text", { x: 0, y: y * step + 12 }, labelled(row.name))),
			svg("text", { x: margin, y: taken.length * step + 14 }, "0 s"),
			svg("text", { x: width - 2, y: taken.length * step + 14, "text-anchor": "end" }, number(end) + " s"));
		return marks;
	});
}

function partCharts(intervals) {
	const times = intervals.map(interval => interval.time_s);
	return Object.entries(partKinds).flatMap(([key, [kind, nameOf]]) => {
		const lines = new Map();
		const note = (label, i, part, unit, at, cell) => {
			const id = `${i} ${label}`;
			if (!lines.has(id))
				lines.set(id, { name: label, unit, rows: new Map() });
			const { rows } = lines.get(id), name = nameOf(part);
			if (!rows.has(name))
				rows.set(name, { name, cells: [] });
			rows.get(name).cells[at] = cell;
		};
		intervals.forEach((interval, at) => (interval[key] || []).forEach(part => {
			part.events.forEach((event, i) => note(event.event, i, part, event.unit, at, { value: event.scaled, quality: event.quality }));
			(part.metrics || []).forEach((metric, i) => note(metric.metric, -1 - i, part, metric.unit, at, metric));
		}));
		return [...lines.values()].map(line => partChart(kind, { ...line, rows: [...line.rows.values()].map(row =>
			({ name: row.name, cells: times.map((_, i) => row.cells[i] || null) })) }, times));
	});
}

function intervalSections(intervals) {
	const lines = new Map();
	let from = 0;
	const add = (key, name, unit, item) => {
		if (!lines.has(key))
			lines.set(key, { name, unit, items: [] });
		lines.get(key).items.push({ from, ...item });
	};
	for (const interval of intervals) {
		const to = interval.time_s;
		for (const [i, event] of interval.events.entries())
			add(`event ${i} ${event.event}`, event.event, event.unit, { to, value: event.scaled, quality: event.quality,
				reason: event.reason });
		for (const [i, metric] of (interval.metrics || []).entries())
			add(`metric ${i} ${metric.metric}`, metric.metric, metric.unit, { to, value: metric.value, quality: metric.quality,
				reason: metric.reason });
		from = to;
	}
	const all = [...lines.values()], columns = [{ name: "until, s", number: true, value: row => row.time }];
	all.forEach((line, i) => columns.push({ name: line.name, number: true, value: row => row.cells[i] && row.cells[i].value,
		show: row => row.cells[i] ? shown(row.cells[i].value, row.cells[i].quality, line.unit) : "" }));
	const at = all.map(line => new Map(line.items.map(item => [item.to, item])));
	const rows = intervals.map(({ time_s: time }) => ({ time, cells: at.map(map => map.get(time)) }));
	return section(3, "Time line", el("p", {}, "Filled: exact. Open and dashed: estimated. Hatched: nothing was counted."),
		all.map(line => timeLine(line.name, line.unit, line.items)), partCharts(intervals),
		el("details", {}, el("summary", {}, "The intervals as a table"), table("Counts of each interval", columns, rows)));
}

// ---- several runs ----

// The standard error of a mean, in percent of it, as tables on a terminal have it.
const plusMinus = (mean, deviation, n) =>
	`\u00b1 ${(n > 1 && mean ? deviation / Math.sqrt(n - 1) / Math.abs(mean) * 100 : 0).toFixed(2)} %`;

function runSection(counts) {
	const leftOut = run => Boolean(counts.series && counts.series[run] && counts.series[run].left_out);
	const figures = [];
	if (counts.elapsed && counts.series)
		figures.push(dots("elapsed", "s", 1, counts.series.map(run => run.elapsed_s), counts.elapsed, leftOut, true));
	for (const event of counts.events)
		if (event.values && event.mean !== undefined)
			figures.push(dots(event.event, event.unit, event.estimate ? event.scaled / event.estimate : 1, event.values, event, leftOut, isExact(event.quality)));
	return section(3, `${counts.runs} runs`, el("p", {}, "A dot is a run, the line the median, the band the mean with the " +
		"deviation of the runs; \u00b1: standard error of the mean. " + (counts.left_out_runs ? "Open dots: runs that failed, and are left out." : "")), figures);
}

// ---- comparisons ----

function comparisonSection(comparison) {
	const known = value => value !== null && value !== undefined;
	const rows = comparison.events.map(event => ({ ...event,
		interval: known(event.change_low) && known(event.change_high) ? [event.change_low, event.change_high] : null }));
	const most = rows.reduce((m, row) => Math.max(m, Math.abs(row.change_percent || 0), ...(row.interval || []).map(Math.abs)),
		1e-9);
	const x = value => 100 + value / most * 95;
	const side = key => ({ name: key, number: true, value: row => row[key].mean, show: row => row[key].mean === null ? "\u2013" :
		`${number(row[key].mean)}${row.unit ? " " + row.unit : ""} ${plusMinus(row[key].mean, row[key].deviation, row[key].runs)}` });
	const picture = row => {
		const image = svg("svg", { width: 200, height: 20, role: "img", "aria-label": row.interval ?
			`from ${percent(row.interval[0])} to ${percent(row.interval[1])}` : "no interval" },
		svg("line", { class: "axis", x1: 100, x2: 100, y1: 0, y2: 20 }));
		if (row.interval)
			image.append(svg("line", { class: "interval", x1: x(row.interval[0]), x2: x(row.interval[1]), y1: 10, y2: 10,
				"data-low": row.interval[0], "data-high": row.interval[1] }));
		if (row.change_percent !== null)
			image.append(svg("circle", { class: row.differs ? "exact-mark" : "same-mark", cx: x(row.change_percent), cy: 10,
				r: 4, "data-value": row.change_percent }));
		return image;
	};
	return section(3, "Comparison", el("p", {}, named(comparison.now), " with ", named(comparison.before),
		`: ${comparison.differing} of ${comparison.compared} differ (Welch's test with Holm's correction, ` +
		`alpha ${comparison.alpha}; threshold ${comparison.threshold_percent} %). Intervals: 95 %, each by itself. ` +
		"\u00b1: standard error of the mean."),
	table("Changes, with their intervals", [
		{ name: "event", value: row => row.event, show: row => named(row.event) },
		{ name: "change", number: true, value: row => row.change_percent, show: row => percent(row.change_percent) },
		{ name: "picture", value: () => "", show: picture },
		{ name: "interval", class: "quality", value: row => row.interval ? row.interval.map(percent).join(" to ") : "\u2013" },
		{ name: "verdict", value: row => row.verdict, show: row => el("span", { class: row.differs ? "beyond" : null },
			row.verdict + (row.runs_needed ? `: ${comparison.threshold_percent || 5} % needs ${row.runs_needed} runs` : "")) },
		side("before"), side("now"), { name: "p", number: true, value: row => row.p },
	], rows));
}

// ---- a run ----

const commandOf = run => run.command ? run.command.join(" ") : ["pid", "pids", "tid", "tids", "processors", "cgroup"]
	.filter(key => run[key] !== undefined).map(key => `${key} ${run[key]}`).join(", ") || "counts";

function facts(run, source) {
	const origin = run.origin || {}, list = el("dl");
	const add = (name, value) => {
		if (value !== undefined && value !== null && value !== "")
			list.append(el("dt", {}, name), el("dd", {}, value instanceof Node ? value : named(value)));
	};
	add("command", run.command && run.command.join(" "));
	add("file", source);
	add("ended", run.signal !== undefined ? `by signal ${run.signal}` : run.timed_out ? "by --timeout" :
		run.exit_status !== undefined ? `with exit status ${run.exit_status}` : null);
	add("time", run.elapsed_s === undefined ? null : `${number(run.elapsed_s)} s` + (run.user_s === undefined ? "" :
		`, ${number(run.user_s)} s in user mode, ${number(run.sys_s)} s in the kernel`));
	add("runs", run.runs > 1 ? `${run.runs}, of which ${run.failed_runs} failed` : null);
	add("when", origin.time);
	add("host", origin.host);
	add("rank", origin.rank);
	add("processor", origin.processor);
	add("kernel", origin.kernel && `${origin.kernel} ${origin.machine}`);
	add("perfex", origin.perfex);
	add("emulator", run.emulator);
	add("incomplete", run.incomplete);
	add("left running", run.left_running && (run.left_exactly ? "" : "at least ") + run.left_running + " processes, at its end");
	return list;
}

function runArticle({ counts, intervals, source }) {
	const run = counts || { events: [] };
	return section(2, counts ? commandOf(run) : "Intervals of a run that did not end", facts(run, source),
		run.events.length ? section(3, "Counts", eventTable("Counts, with their quality", run.events)) : null,
		run.metrics ? section(3, "Metrics", metricTable("Metrics, with their thresholds", run.metrics)) : null,
		run.metrics ? topDown(run.metrics) : null,
		run.comparison ? comparisonSection(run.comparison) : null,
		intervals.length ? intervalSections(intervals) : null,
		run.runs > 1 ? runSection(run) : null, partTables(run));
}

// ---- a machine ----

function machineArticle(machine) {
	return section(2, "Machine: " + (machine.processor || ""),
		machine.checks ? table("What can be counted here", [
			{ name: "check", value: check => check.name },
			{ name: "ok", value: check => check.ok ? "yes" : "no", show: check =>
				el("span", { class: check.ok ? null : "beyond" }, check.ok ? "yes" : "no") },
			{ name: "state", value: check => check.state }, { name: "remedy", value: check => check.remedy },
		], machine.checks) : null,
		table("What reads cost", [
			{ name: "call", value: cost => cost.what }, { name: "ns", number: true, value: cost => cost.ns },
			{ name: "spread", number: true, value: cost => cost.spread },
			{ name: "instructions", number: true, value: cost => cost.instructions },
			{ name: "taken", value: cost => cost.taken }, { name: "why", class: "reason", value: cost => cost.why },
		], machine.costs));
}

// ---- regions ----

const processName = report => report.rank === null || report.rank === undefined ? `${report.host}:${report.pid}` :
	`rank ${report.rank}`;

// Finds what a region counted under a name; a metric's value and an event's have the same members here.
const valueOf = (row, name) => row.values.find(value => value.value === name) ||
	(row.metrics || []).find(metric => metric.metric === name);

// A select element with a name before it.
function choice(label, names, changed) {
	const select = el("select", { "aria-label": label }, names.map(name => el("option", { value: name }, name)));
	select.addEventListener("change", () => changed(names[select.selectedIndex]));
	return el("label", {}, label + " ", select);
}

// A histogram: a bucket's area is its part of the visits. The scale is logarithmic, from 1.
function histogram(value) {
	if (!value || !value.buckets || !value.buckets.length)
		return "\u2013";
	const log = edge => Math.log10(Math.max(edge, 1)), first = log(value.minimum), width = 120;
	const span = log(value.maximum + 1) - first || 1, x = edge => (log(edge) - first) / span * (width - 4) + 2;
	const bins = value.buckets.map(([least, most, visits]) =>
		({ most, visits, from: x(least), wide: Math.max(x(most + 1) - x(least), 1) }));
	const highest = bins.reduce((m, bin) => Math.max(m, bin.visits / bin.wide), 0);
	const text = `minimum ${number(value.minimum)}, half up to ${number(value.p50)}, 90 % up to ${number(value.p90)}, ` +
		`99 % up to ${number(value.p99)}, maximum ${number(value.maximum)}`;
	return svg("svg", { width, height: 22, role: "img", "aria-label": text }, svg("title", {}, text), bins.map(bin => {
		const high = Math.max(bin.visits / bin.wide / highest * 20, 1);
		return svg("rect", { class: "bins", x: bin.from.toFixed(2), width: bin.wide.toFixed(2), y: (21 - high).toFixed(2),
			height: high.toFixed(2), "data-value": bin.most, "data-visits": bin.visits });
	}));
}

function regionTable(rows, several, name) {
	const value = row => valueOf(row, name) || {}, unit = row => value(row).unit || "";
	const has = key => rows.some(row => value(row)[key] !== undefined);
	const plain = (label, key) => ({ name: label, number: true, value: row => value(row)[key] });
	const sum = key => ({ name: key, number: true, value: row => value(row)[key],
		show: row => shown(value(row)[key], value(row).quality, unit(row)) });
	const columns = [
		{ name: "region", value: row => row.region, show: row => named(row.region) },
		...(several ? [{ name: "process", value: row => row.process, show: row => named(row.process) }] : []),
		{ name: "visits", number: true, value: row => row.visits },
		sum("inclusive"), sum("exclusive"),
		{ name: "quality", value: row => value(row).quality || "", show: row => [qualityMark(value(row).quality || "none"),
			value(row).error === undefined ? "" : ` \u00b1 ${number(value(row).error)}`] },
	];
	if (has("buckets"))
		columns.push({ name: "histogram", value: row => "", show: row => histogram(value(row)) });
	for (const [label, key] of [["mean", "mean"], ["deviation", "deviation"], ["minimum", "minimum"], ["median", "p50"],
		["90 %", "p90"], ["99 %", "p99"], ["maximum", "maximum"]])
		if (has(key))
			columns.push(plain(label, key));
	if (has("threshold"))
		columns.push({ name: "threshold", value: row => value(row).threshold || "", show: row =>
			el("span", { class: value(row).beyond ? "beyond" : null }, value(row).threshold || "") });
	if (has("reason"))
		columns.push({ name: "reason", class: "reason", value: row => value(row).reason || "" });
	if (rows.some(row => row.unfinished || row.uncounted))
		columns.push({ name: "unfinished", number: true, value: row => row.unfinished },
			{ name: "uncounted", number: true, value: row => row.uncounted });
	return table(`Regions: ${name}, sums of all threads`, columns, rows, { sort: 3 + several });
}

// Regions against threads or processes: how far each cell is from its row's mean, the least balanced row first.
function heatMap(kind, names, rows, name) {
	const lines = rows.map(({ region, cells }) => {
		const values = cells.map(cell => cell && (valueOf(cell, name) || {}).inclusive);
		const known = values.filter(value => value !== undefined && value !== null);
		const mean = known.reduce((a, b) => a + b, 0) / known.length;
		const most = known.reduce((a, b) => Math.max(a, b), 0);
		return { region, values, cells, mean, most, imbalance: mean > 0 ? (most / mean - 1) * 100 : 0 };
	}).filter(line => Number.isFinite(line.mean));
	const columns = [
		{ name: "region", value: line => line.region, show: line => named(line.region) },
		{ name: "imbalance", number: true, value: line => line.imbalance, show: line => line.imbalance.toFixed(1) + " %" },
		{ name: "mean", number: true, value: line => line.mean },
		...names.map((column, i) => ({ name: column, number: true, class: "cell", value: line => line.values[i],
			show: line => line.cells[i] ? shown(line.values[i], (valueOf(line.cells[i], name) || {}).quality, "") : "",
			style: (cell, line) => tint(cell, line.values[i], line.most) })),
	];
	return table(`${name} of each ${kind}, inclusive; a darker cell is nearer to its row's largest. Imbalance: by how much ` +
		"the largest is above the mean", columns, lines, { class: "heat", sort: 1, step: 25 });
}

// Rows of a map: a region each, with a cell for each column.
function mapRows(items, nameOf) {
	const columns = new Map(), regions = new Map();
	for (const item of items) {
		const column = nameOf(item);
		if (!columns.has(column))
			columns.set(column, columns.size);
		if (!regions.has(item.region))
			regions.set(item.region, { region: item.region, cells: [] });
		regions.get(item.region).cells[columns.get(column)] = item;
	}
	const names = [...columns.keys()];
	return { names, rows: [...regions.values()].map(row =>
		({ region: row.region, cells: names.map((_, i) => row.cells[i] || null) })) };
}

function regionTroubles(reports) {
	const sums = { ends_without_begin: "ends had no begin", threads_left_out: "threads could not be counted",
		threads_stale: "of these threads are stale: the program closed the descriptors of their counters",
		visits_without_region: "visits were counted for no region",
		children_left_out: "child processes had regions and no report" };
	const lines = Object.entries(sums).map(([key, words]) => [reports.reduce((sum, report) => sum + (report[key] || 0), 0), words])
		.filter(([n]) => n).map(([n, words]) => `${number(n)} ${words}.`);
	const died = reports.filter(report => report.ends_without_begin === null).length;
	if (died)
		lines.push(`${died} of the processes died, or was replaced, before it reported.`);
	const reasons = reports.flatMap(report => report.not_counted || []).map(({ name, reason }) => `${name} is not counted: ${reason}.`);
	lines.push(...new Set(reasons));
	return lines.length ? el("p", { class: "beyond" }, lines.join(" ")) : null;
}

function regionArticle(reports) {
	const items = reports.flatMap(report => report.regions.map(row => {
		row.process = processName(report);
		return row;
	}));
	const sums = items.filter(row => row.tid === undefined), threads = items.filter(row => row.tid !== undefined);
	const several = new Set(sums.map(row => row.process)).size > 1 ? 1 : 0;
	const all = new Set();
	for (const row of items) {
		row.values.forEach(value => all.add(value.value));
		(row.metrics || []).forEach(metric => all.add(metric.metric));
	}
	const names = [...all];
	const place = el("div");
	const byThread = mapRows(threads, row => (several ? row.process + " " : "") + row.tid);
	const byProcess = mapRows(several ? sums : [], row => row.process);
	const show = name => place.replaceChildren(...[
		regionTable(sums, several, name),
		byProcess.rows.length ? section(3, "By process", heatMap("process", byProcess.names, byProcess.rows, name)) : null,
		byThread.rows.length ? section(3, "By thread", heatMap("thread", byThread.names, byThread.rows, name)) : null,
	].filter(Boolean));
	if (names.length)
		show(names[0]);
	return section(2, "Regions", el("p", {}, reports.length === 1 ? `Process ${processName(reports[0])}.` :
		`${reports.length} reports.`), regionTroubles(reports), reports.some(report => report.through_kernel) ?
		el("p", {}, "Counters were read by the kernel, which takes longer than the regions' own code.") : null,
	el("div", { class: "tools" }, choice("Value", names, show)), place);
}

function mergedArticle(merged) {
	const name = row => row.value || row.metric;
	const at = (sum, key) => row => row[sum] && `${number(row[sum][key])} (${row[sum][key + "_at"]})`;
	const columns = [
		{ name: "region", value: row => row.region, show: row => named(row.region) },
		{ name: "value", value: name, show: row => named(name(row) + (row.unit ? `, ${row.unit}` : "")) },
		{ name: "processes", number: true, value: row => row.processes },
		{ name: "absent", number: true, value: row => row.absent_ranks }, { name: "visits", number: true, value: row => row.visits },
	];
	for (const sum of ["inclusive", "exclusive"]) {
		const quality = row => sum === "inclusive" ? row.quality : row.exclusive_quality;
		columns.push({ name: sum + " mean", number: true, value: row => row[sum] && row[sum].mean,
			show: row => shown(row[sum] && row[sum].mean, quality(row)) });
		for (const key of ["minimum", "maximum"])
			columns.push({ name: key, number: true, value: row => row[sum] && row[sum][key], show: row => at(sum, key)(row) || "\u2013" });
		columns.push({ name: "imbalance", number: true, value: row => row[sum] && row[sum].imbalance_percent,
			show: row => row[sum] ? row[sum].imbalance_percent.toFixed(1) + " %" : "\u2013" });
	}
	columns.push({ name: "quality", value: row => row.quality, show: row => qualityMark(row.quality) });
	return section(2, "Regions of all processes", el("p", {}, `${merged.processes} processes.` +
		(merged.processes_died ? ` ${merged.processes_died} of them died before they reported.` : "")), regionTroubles([merged]),
	table("Sums of all threads of each process, over the processes", columns, merged.regions));
}

// ---- samples ----

// A tree of calls over several documents, in arrays by the number of a node, since there may be a million: its function,
// its caller, its first call, the next call of its caller, the samples of each document, or the events that these stand for.
// Node 0 is the root. A hash table
// finds a node by its caller and its function.
function callTree(documents) {
	const names = [], ids = new Map();
	const isWeighted = ({ stacks }) => stacks.some(stack => stack.events);
	const unit = documents.some(isWeighted) || new Set(documents.map(samples => samples.period)).size > 1 ? "events" : "samples";
	// Counts of events are compared as they are; samples at a frequency of their own, as parts of all.
	const isKnown = documents.map(samples => isWeighted(samples) || Boolean(samples.period));
	const most = documents.reduce((sum, { stacks }) => stacks.reduce((n, stack) => n + stack.calls.length + 1, sum), 1);
	let room = 2 ** Math.ceil(Math.log2(Math.min(most, 1 << 22) + 1)), nodes = 0, stamp = 0;
	let of = new Int32Array(room), from = new Int32Array(room), first = new Int32Array(room), next = new Int32Array(room);
	let total = documents.map(() => new Float64Array(room)), slots = new Int32Array(room * 2);

	const intern = name => {
		if (!ids.has(name)) {
			ids.set(name, names.length);
			names.push(name);
		}
		return ids.get(name);
	};
	const larger = old => {
		const made = new old.constructor(room);
		made.set(old);
		return made;
	};
	const slot = (caller, id) => {
		const mask = slots.length - 1;
		let i = Math.imul(caller ^ Math.imul(id, 0x9e3779b1), 0x85ebca6b);
		for (i = (i ^ i >>> 15) & mask; slots[i] && (from[slots[i]] !== caller || of[slots[i]] !== id); i = i + 1 & mask)
			;
		return i;
	};
	const grow = () => {
		room *= 2;
		[of, from, first, next] = [of, from, first, next].map(larger);
		total = total.map(larger);
		slots = new Int32Array(room * 2);
		for (let at = 1; at < nodes; at++)
			slots[slot(from[at], of[at])] = at;
	};
	// Returns a call of a node; makes it, if it is new.
	const call = (caller, id) => {
		let i = slot(caller, id);
		if (slots[i])
			return slots[i];
		if (nodes === room) {
			grow();
			i = slot(caller, id);
		}
		of[nodes] = id;
		from[nodes] = caller;
		next[nodes] = first[caller];
		return slots[i] = first[caller] = nodes++;
	};
	of[nodes++] = intern("all");
	const functions = documents.map((samples, i) => {
		const period = unit === "events" && samples.period || 1;
		const local = Int32Array.from(samples.functions, intern), comms = samples.stacks.map(stack => intern(stack.comm));
		const seen = new Int32Array(names.length).fill(-1);
		const sums = { self: new Float64Array(names.length), total: new Float64Array(names.length) };
		const count = (at, n) => {
			const id = of[at];
			total[i][at] += n;
			if (seen[id] !== stamp) {	// once, if it calls itself
				seen[id] = stamp;
				sums.total[id] += n;
			}
		};
		samples.stacks.forEach((stack, k) => {
			const { calls } = stack, n = stack.events || stack.samples * period;
			let at = call(0, comms[k]);
			stamp++;
			count(0, n);
			count(at, n);
			for (let depth = 0; depth < calls.length; depth++) {
				at = call(at, local[calls[depth]]);
				count(at, n);
			}
			sums.self[of[at]] += n;
		});
		return sums;
	});
	slots = from = null;
	// What a sample stands for.
	const weights = documents.map((samples, i) => total[i][0] / samples.stacks.reduce((sum, stack) => sum + stack.samples, 0) || 1);
	documents.forEach(samples => { samples.stacks = null; });	// the tree has it all

	// How "now" differs from "was", and whether the chance by which samples are taken explains it.
	function compare(was, now, before, after) {
		const scale = isKnown[before] && isKnown[after] ? 1 : total[after][0] / total[before][0] || 1;
		const old = was * scale, [a, b] = [weights[before] * scale, weights[after]];
		const half = 1.96 * Math.sqrt(old * a + now * b + a * a + b * b), difference = now - old;
		const shown = Math.abs(difference) > half, signed = value => (value > 0 ? "+" : "") + number(value);
		return { difference, shown, percent: old ? difference / old * 100 : now ? Infinity : 0,
			words: `${number(was)} before${scale === 1 ? "" : `, of ${number(total[before][0])}`}: ${signed(difference)} ` +
				`(${signed(difference - half)} to ${signed(difference + half)})${shown ? "" : ", no difference shown"}` };
	}
	return {
		compare,
		change: (at, before, now) => compare(total[before][at], total[now][at], before, now),
		unit,
		functions: names.slice(1).map((name, i) => ({ name, self: functions.map(sums => sums.self[i + 1] || 0),
			total: functions.map(sums => sums.total[i + 1] || 0) })),
		total: (at, i) => total[i][at], name: at => names[of[at]],
		calls(at, i, sorted = true) {
			const list = [];
			for (let one = first[at]; one; one = next[one])
				if (total[i][one])
					list.push(one);
			return sorted ? list.sort((a, b) => names[of[a]] < names[of[b]] ? -1 : 1) : list;
		},
	};
}

const hueOf = name => [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 45, 7);

// The graph of a tree: of document "now", in the colours of its differences from document "before", or -1. Returns the
// element, and a function that draws it for the width that it has.
function flameGraph(tree, now, before) {
	const root = 0, high = 19, nameOf = tree.name;
	const graph = el("div", { class: "flame", role: "tree", "aria-label": "Flame graph. Arrow keys move, Enter zooms, Escape " +
		"zooms out." });
	const state = el("output", { "aria-live": "polite" }), frames = new Map();
	const search = el("input", { type: "search", "aria-label": "Search functions", placeholder: "search functions" });
	const out = el("button", { type: "button" }, "Zoom out");
	const samples = at => tree.total(at, now), all = samples(root) || 1;
	let path = [root], current = root, shownFrames = [];

	const calls = at => tree.calls(at, now);
	const change = at => tree.change(at, before, now);
	const told = n => `${number(n)} ${tree.unit}, ${(n / all * 100).toFixed(2)} %`;
	const tell = at => `${nameOf(at)}: ${told(samples(at))}` + (before < 0 ? "" : `, ${change(at).words}`);
	const isFound = at => search.value && nameOf(at).toLowerCase().includes(search.value.toLowerCase());

	function colour(made, at) {
		if (before < 0) {
			made.style.setProperty("--hue", hueOf(nameOf(at)) + 15);
			return;
		}
		const { percent, shown } = change(at);
		made.style.setProperty("--hue", percent > 0 ? 0 : 215);
		made.style.setProperty("--strength", shown ? Math.min(20 + Math.abs(percent), 90) + "%" : "0%");
		made.setAttribute("data-change", percent);
	}
	// Frames have no border and no padding, so that each is as wide as its samples.
	function put(made, { left, width, depth }) {
		Object.assign(made.style, { left: left * 100 + "%", width: width * 100 + "%", top: depth * high + "px" });
		return made;
	}
	function frame(item, i) {
		const { at, width, depth } = item;
		const made = el("div", { class: "frame" + (isFound(at) ? " found" : "") + (i < path.length - 1 ? " above" : ""),
			role: "treeitem", "aria-level": depth + 1, tabindex: at === current ? 0 : -1, title: tell(at), "aria-label": tell(at),
			"data-name": nameOf(at), "data-value": samples(at), "data-depth": depth },
		width > 0.02 ? nameOf(at) : "");
		colour(made, at);
		frames.set(at, made);
		made.owner = item;
		return put(made, item);
	}
	// The calls of one function that are narrower than a pixel each, together.
	const rest = item => put(el("div", { class: "rest" + (item.found ? " found" : ""), title: `${item.n} more: ${told(item.samples)}`,
		"data-value": item.samples, "data-depth": item.depth }), item);

	// Samples of the calls under a node that are found.
	function match(at) {
		return isFound(at) ? samples(at) : tree.calls(at, now, false).reduce((sum, call) => sum + match(call), 0);
	}
	function draw() {
		const base = path[path.length - 1], items = path.map((at, depth) => ({ at, left: 0, width: 1, depth, above: path[depth - 1] }));
		const rests = [], least = 1 / Math.max(graph.clientWidth, 1);
		const place = (at, left, depth) => {
			const more = { n: 0, samples: 0, depth, found: false };
			for (const call of calls(at)) {
				const width = samples(call) / samples(base);
				if (width >= least) {
					items.push({ at: call, left, width, depth, above: at });
					place(call, left, depth + 1);
					left += width;
				} else {
					more.n++;
					more.samples += samples(call);
					more.found = more.found || Boolean(search.value && match(call));
				}
			}
			if (more.n)
				rests.push({ ...more, left, width: more.samples / samples(base) });
		};
		place(base, 0, path.length);
		frames.clear();
		shownFrames = items;
		graph.replaceChildren(...items.map(frame), ...rests.map(rest));
		graph.style.height = ([...items, ...rests].reduce((m, item) => Math.max(m, item.depth), 0) + 1) * high + "px";
		out.disabled = path.length < 2;
		const matched = search.value ? match(base) : 0;
		state.textContent = search.value ? `${number(matched)} ${tree.unit} found, ${(matched / samples(base) * 100).toFixed(2)} % of ` +
			nameOf(base) : tell(base);
		state.setAttribute("data-found", search.value ? matched : "");
	}
	function zoom(to) {
		const way = [], above = new Map(shownFrames.map(item => [item.at, item.above]));
		for (let at = to; at !== undefined; at = above.get(at))
			way.unshift(at);
		path = way;
		current = to;
		draw();
	}
	function go(to) {
		if (!frames.has(to))
			return;
		if (frames.has(current))
			frames.get(current).tabIndex = -1;
		current = to;
		frames.get(to).tabIndex = 0;
		frames.get(to).focus();
		state.textContent = tell(to);
	}
	graph.addEventListener("click", event => {
		const made = event.target.closest(".frame");
		if (made) {
			zoom(made.owner.at);
			go(made.owner.at);
		}
	});
	graph.addEventListener("keydown", event => {
		const item = event.target.owner;
		if (!item)
			return;
		const beside = item.above !== undefined ? calls(item.above).filter(at => frames.has(at)) : [item.at];
		const next = {
			ArrowUp: () => item.above, ArrowDown: () => calls(item.at).filter(at => frames.has(at))
				.sort((a, b) => samples(b) - samples(a))[0],
			ArrowRight: () => beside[beside.indexOf(item.at) + 1], ArrowLeft: () => beside[beside.indexOf(item.at) - 1],
			Home: () => root, Enter: () => (zoom(item.at), item.at), Escape: () => (zoom(root), root),
		}[event.key];
		if (!next)
			return;
		event.preventDefault();
		go(next());
	});
	search.addEventListener("input", draw);
	out.addEventListener("click", () => zoom(path[Math.max(path.length - 2, 0)]));
	return { element: el("div", {}, el("div", { class: "tools" }, search, out, state), graph), draw };
}

function functionTable(tree, now, before) {
	const of = (list, i) => list[i] / (tree.total(0, i) || 1) * 100;
	const change = list => tree.compare(list[before], list[now], before, now);
	const columns = [{ name: "function", value: row => row.name, show: row => named(row.name) }];
	for (const key of ["self", "total"]) {
		columns.push({ name: key, number: true, value: row => row[key][now] },
			{ name: key + " %", number: true, value: row => of(row[key], now), show: row => of(row[key], now).toFixed(2) + " %" });
		if (before >= 0)
			columns.push({ name: key + " before", number: true, value: row => row[key][before] },
				{ name: key + " change", number: true, value: row => change(row[key]).difference, show: row => {
					const { difference, shown, words } = change(row[key]);
					return el("span", { class: shown ? null : "none", title: words },
						(difference > 0 ? "+" : "") + number(difference) + (shown ? "" : " (not shown)"));
				} });
	}
	return table(`Functions: ${tree.unit} in them, and with those that they called`, columns, tree.functions, { sort: 1, step: 50 });
}

function sampleArticle(runs) {
	const documents = runs.map(run => run.samples), tree = callTree(documents);
	const labels = runs.map(({ samples, source }, i) => `${i + 1}: ${source || commandOf(samples)}`), place = el("div");
	let now = runs.length - 1, before = runs.length > 1 ? 0 : -1;
	let draw;
	const show = () => {
		const graph = flameGraph(tree, now, before);
		place.replaceChildren(graph.element, functionTable(tree, now, before));
		draw = graph.draw;
	};
	const showAgain = () => { show(); draw(); };
	show();
	charts.push(() => draw());
	return section(2, "Samples", runs.map(({ samples, source }) => [
		el("p", {}, `${number(samples.samples)} samples of `, named(samples.event),
			samples.period ? `, one in ${number(samples.period)}` : samples.frequency ? `, ${number(samples.frequency)} a second` : "",
			": estimates of where the event happens."),
		samples.doubts.length ? el("ul", { class: "beyond" }, samples.doubts.map(doubt => el("li", {}, doubt))) : null,
		facts(samples, source)]),
	runs.length > 1 ? el("div", { class: "tools" },
		choice("Before", labels, label => { before = labels.indexOf(label); showAgain(); }),
		choice("Now", [labels[now], ...labels.slice(0, now)], label => { now = labels.indexOf(label); showAgain(); })) : null,
	runs.length > 1 ? el("p", {}, `Red: more ${tree.unit} than before; blue: fewer; grey: no difference shown, at 95 % and by the ` +
		"chance of sampling alone.") : null, place);
}

// ---- the page ----

function page() {
	const runs = [], reports = [], merged = [], samples = [], machines = [];
	for (const { source, documents } of sources) {
		let intervals = [];
		for (const one of documents)
			switch (one.type) {
			case "interval": intervals.push(one); break;
			case "counts": runs.push({ counts: one, intervals, source }); intervals = []; break;
			case "regions": reports.push(one); break;
			case "merged_regions": merged.push(one); break;
			case "samples": samples.push({ samples: one, source }); break;
			case "machine": machines.push(one); break;
			}
		if (intervals.length)
			runs.push({ counts: null, intervals, source });
	}
	// A document that is not as perfex writes it hides none of the others.
	const safe = make => what => {
		try {
			return make(what);
		} catch (error) {
			return el("p", { class: "beyond" }, "A result can't be shown: " + error.message);
		}
	};
	const articles = [...runs.map(safe(runArticle)), ...merged.map(safe(mergedArticle)),
		...(reports.length ? [safe(regionArticle)(reports)] : []), ...(samples.length ? [safe(sampleArticle)(samples)] : []),
		...machines.map(safe(machineArticle))];
	const title = runs.length ? commandOf(runs[0].counts || {}) : samples.length ? commandOf(samples[0].samples) :
		sources.map(({ source }) => source).filter(Boolean).join(", ") || "regions";
	document.title = clean("perfex: " + title);
	main.replaceChildren(patterns, el("h1", {}, "perfex: ", named(title)), contents.length > 1 ? el("nav",
		{ "aria-label": "Contents" }, el("ul", {}, contents.map(([id, name]) => el("li", {}, el("a", { href: "#" + id }, name))))) :
		"", ...articles, articles.length ? "" : el("p", {}, "There are no results."));
	charts.forEach(draw => safe(draw)());
	let waiting;
	addEventListener("resize", () => {
		clearTimeout(waiting);
		waiting = setTimeout(() => charts.forEach(draw => safe(draw)()), 100);
	});
}
page();
})();
