/** What every page has: the reader's language and colours, and a place for news to be spoken. */
import { texts } from './text.js';

const root = document.documentElement;
const query = new URLSearchParams(location.search);

/** The room that this site sells, or the one that the address names. */
export const roomId = query.get('room') || 'slack-water';

/**
 * @param {string} page file name
 * @param {string} [fragment]
 */
export function linkTo(page, fragment = '') {
  const room = query.get('room');
  return page + (room ? `?${new URLSearchParams({ room })}` : '') + fragment;
}

/** @param {string} name */
export function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is switched off: what was to be remembered lasts as long as this page.
  }
}

// Language

const asked = query.get('lang');
let language =
  [asked, remembered('sluice:language'), ...(navigator.languages ?? [])]
    .map((tag) => tag?.slice(0, 2))
    .find((tag) => tag && tag in texts) ?? 'en';

/** @type {Set<() => void>} */
const onLanguage = new Set();

/**
 * @param {string} key
 * @param {object} [figures]
 * @returns {string}
 */
export function text(key, figures) {
  const found = texts[language][key];
  return typeof found === 'function' ? found(figures) : found;
}

/** @param {number} n */
export const number = (n) => n.toLocaleString(language);

/** @param {number} amount in won */
export const money = (amount) =>
  amount.toLocaleString(language, { style: 'currency', currency: 'KRW' });

/** @param {number} part of 1 */
export const percent = (part) =>
  part.toLocaleString(language, { style: 'percent', maximumFractionDigits: 0 });

/** @param {number} n such as 12,000, written in few letters */
export const short = (n) => n.toLocaleString(language, { notation: 'compact' });

/** @param {Date} at the time of day, to the second; with the date when that isn't today's */
export function clock(at) {
  const time = at.toLocaleTimeString('en-GB');
  return at.toDateString() === new Date().toDateString()
    ? time
    : `${at.toLocaleDateString(language, { month: 'short', day: 'numeric' })} ${time}`;
}

/** @param {string} code of a country */
export function country(code) {
  try {
    return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
  } catch {
    return code; // Whoever counts names countries as they like.
  }
}

/**
 * Has `draw` called at each change of language; the first time by {@link start}.
 *
 * @param {() => void} draw
 */
export function drawnInWords(draw) {
  onLanguage.add(draw);
}

function applyWords() {
  root.lang = language;
  for (const element of document.querySelectorAll('[data-t]')) {
    element.textContent = text(/** @type {HTMLElement} */ (element).dataset.t);
  }
  for (const element of document.querySelectorAll('[data-t-label]')) {
    element.setAttribute('aria-label', text(/** @type {HTMLElement} */ (element).dataset.tLabel));
  }
  for (const draw of onLanguage) {
    draw();
  }
  delete root.dataset.words;
}

// Colours

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches);

const SUN =
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" aria-hidden="true"><circle cx="12" cy="12" r="4.2"/><path d="M12 2.5v2.3M12 19.2v2.3M2.5 12h2.3M19.2 12h2.3M5.3 5.3l1.6 1.6M17.1 17.1l1.6 1.6M18.7 5.3l-1.6 1.6M6.9 17.1l-1.6 1.6"/></svg>';
const MOON =
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" aria-hidden="true"><path d="M20 14.2A8.3 8.3 0 0 1 9.8 4a8.3 8.3 0 1 0 10.2 10.2z"/></svg>';

/** Puts the switches into the masthead and the words into the page. */
export function start() {
  const switches = document.querySelector('.switches');
  if (switches) {
    const languages = document.createElement('button');
    languages.type = 'button';
    languages.className = 'switch';
    languages.dataset.switch = 'language';
    languages.addEventListener('click', () => {
      language = language === 'ko' ? 'en' : 'ko';
      remember('sluice:language', language);
      applyWords();
    });
    const colours = document.createElement('button');
    colours.type = 'button';
    colours.className = 'switch';
    colours.dataset.switch = 'colours';
    const paint = () => {
      colours.innerHTML = isDark() ? SUN : MOON;
      colours.setAttribute('aria-label', text(isDark() ? 'toLight' : 'toDark'));
    };
    colours.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      remember('sluice:theme', root.dataset.theme);
      paint();
    });
    prefersDark.addEventListener('change', paint);
    switches.append(languages, colours);
    onLanguage.add(() => {
      languages.textContent = text('otherLanguage');
      languages.lang = language === 'ko' ? 'en' : 'ko';
      paint();
    });
  }
  for (const link of document.querySelectorAll('a[data-page]')) {
    const { page } = /** @type {HTMLElement} */ (link).dataset;
    link.setAttribute('href', linkTo(/** @type {string} */ (page)));
  }
  applyWords();
}

/**
 * Says something to people who listen to the page rather than look at it.
 *
 * @param {string} words
 */
export function say(words) {
  const region = document.getElementById('spoken');
  if (region) {
    region.textContent = words;
  }
}

/**
 * Asks before something that can't be undone.
 *
 * @param {string} id of the dialog
 * @returns {Promise<boolean>}
 */
export function confirmed(id) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById(id));
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
