/*
 * The search of the docs, in the browser. Loads the index at the first use. Keys: `/` goes to the box, the arrows choose a result, Enter
 * opens it, Escape closes the list. A link such as `/docs/guides?q=retry` opens the page with results.
 */

import { find } from './find.js';

/** @typedef {import('./find.js').Entry} Entry */

const resultsMax = 12;
/** Characters of the text around the first match. */
const excerptLength = 150;

const box = /** @type {HTMLElement} */ (document.querySelector('search'));
const input = /** @type {HTMLInputElement} */ (box.querySelector('input'));
const panel = /** @type {HTMLElement} */ (box.querySelector('.found'));
const status = /** @type {HTMLElement} */ (box.querySelector('[role=status]'));
const list = /** @type {HTMLElement} */ (box.querySelector('ul'));
const up = box.dataset.up ?? '';

/** @type {Promise<Entry[]> | null} */
let index = null;
let selected = -1;

box.hidden = false;
input.addEventListener('input', () => void search());
input.addEventListener('focus', () => void search());
input.addEventListener('keydown', onKey);
list.addEventListener('click', close);
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (event.target instanceof Node && !box.contains(event.target)) close();
});
box.addEventListener('focusout', (event) => {
  if (event.relatedTarget instanceof Node && !box.contains(event.relatedTarget)) close();
});

const asked = new URLSearchParams(location.search).get('q');
if (asked !== null) {
  input.value = asked;
  input.focus();
  // A window in the background gets no focus event.
  void search();
}

/** @returns {Promise<Entry[]>} */
async function load() {
  const response = await fetch(`${up}search.json`);
  if (!response.ok) throw new Error(`The index has status ${response.status}.`);
  return response.json();
}

async function search() {
  const query = input.value;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return close();
  try {
    index ??= load();
    const entries = await index;
    // Show only the results of the newest input.
    if (input.value === query) show(words, find(entries, words));
  } catch {
    index = null;
    status.textContent = 'The search index could not be loaded. Check your connection and type again.';
    list.replaceChildren();
    open();
  }
}

/**
 * @param {string[]} words
 * @param {Entry[]} found
 */
function show(words, found) {
  const shown = found.slice(0, resultsMax);
  const more = found.length > shown.length ? `, the best ${shown.length} first` : '';
  status.textContent =
    found.length === 0
      ? 'No guide and no error has all these words. Try fewer words.'
      : `${found.length} ${found.length === 1 ? 'result' : 'results'}${more}`;
  list.replaceChildren(...shown.map((entry, at) => itemOf(entry, words, at)));
  select(-1);
  open();
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 * @param {number} at
 */
function itemOf({ url, page, heading, text }, words, at) {
  const item = document.createElement('li');
  item.id = `result-${at}`;
  item.setAttribute('role', 'option');
  const link = document.createElement('a');
  link.href = up + url;
  link.tabIndex = -1;
  const excerpt = document.createElement('small');
  excerpt.append(...marked(excerptOf(text, words), words));
  link.append(...marked(page === heading ? heading : `${page} › ${heading}`, words), excerpt);
  item.append(link);
  return item;
}

/**
 * @param {string} text
 * @param {string[]} words
 */
function excerptOf(text, words) {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - 40);
  const start = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const end = text.length <= start + excerptLength ? text.length : text.lastIndexOf(' ', start + excerptLength);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}

/**
 * Returns the text with its matches marked.
 *
 * @param {string} text
 * @param {string[]} words
 */
function marked(text, words) {
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|')})`,
    'iu',
  );
  return text.split(pattern).map((part, at) => {
    if (at % 2 === 0) return document.createTextNode(part);
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const count = list.children.length;
  if (event.key === 'Escape') close();
  else if (event.key === 'Enter') list.children[Math.max(0, selected)]?.querySelector('a')?.click();
  else if (event.key === 'ArrowDown' && count > 0) select((selected + 1) % count);
  else if (event.key === 'ArrowUp' && count > 0) select((selected + count - (selected < 0 ? 0 : 1)) % count);
  else return;
  event.preventDefault();
}

/** @param {number} at */
function select(at) {
  selected = at;
  for (const [place, item] of [...list.children].entries()) item.setAttribute('aria-selected', String(place === at));
  if (at < 0) return input.removeAttribute('aria-activedescendant');
  input.setAttribute('aria-activedescendant', `result-${at}`);
  list.children[at]?.scrollIntoView({ block: 'nearest' });
}

function open() {
  panel.hidden = false;
  input.setAttribute('aria-expanded', 'true');
}

function close() {
  panel.hidden = true;
  list.replaceChildren();
  selected = -1;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
}
