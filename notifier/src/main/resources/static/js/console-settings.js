import { call, isRefused } from './admin.js';
import { keyed, write } from './console-rooms.js';
import { addressOf, asJson } from './heat.js';
import { clock, number, text } from './page.js';

const FAMILIES = ['hot', 'push', 'join', 'room', 'admission'];
const HISTORY = 50;
const ASK_EVERY_MS = 30;
const PATIENCE_MS = 10_000;

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/**
 * @typedef {object} Setting
 * @property {string} key
 * @property {string} scope it was asked for: `global`, `room=lobby`
 * @property {unknown} value
 * @property {string} from the scope it is set for, or `default`
 * @property {?number} offset
 * @property {?string} at
 * @property {?string} who
 * @property {string} allowed
 * @property {string[]} scopes
 * @property {string} description
 *
 * @typedef {object} Attempt
 * @property {?string} setting
 * @property {unknown} value
 * @property {boolean} accepted
 * @property {?string} reason
 * @property {?string} who
 * @property {string} at
 * @property {number} offset
 */

/** Changing a setting, and how settings were changed before. */
export class SettingsView {
  /** @type {Setting[]} */
  #settings = [];
  /** @type {?Attempt[]} */
  #history = null;
  #isAway = false;
  #isAsking = false;
  #isChanging = false;
  /** Whether the value is one that somebody writes just now. */
  #isWritten = false;
  /** @type {() => string} */
  #result = () => '';
  /** @type {?URLSearchParams} what the address wants in the form */
  #wanted = null;

  #form = /** @type {HTMLFormElement} */ (byId('setting'));
  #key = /** @type {HTMLSelectElement} */ (byId('key'));
  #scope = /** @type {HTMLSelectElement} */ (byId('scope'));
  #name = /** @type {HTMLInputElement} */ (byId('scope-name'));
  #value = /** @type {HTMLInputElement} */ (byId('value'));

  /** @param {() => void} onRefused */
  constructor(onRefused) {
    this.onRefused = onRefused;
    this.#key.addEventListener('change', () => this.#turnTo());
    this.#scope.addEventListener('change', () => this.#turnTo());
    this.#name.addEventListener('change', () => this.#turnTo());
    this.#value.addEventListener('input', () => {
      this.#isWritten = true;
      this.#refuse('value', null);
    });
    this.#name.addEventListener('input', () => this.#refuse('scope', null));
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#change('PUT');
    });
    byId('unset').addEventListener('click', () => this.#change('DELETE'));
  }

  /** @param {URLSearchParams} query with a key, and a room, country or app */
  fill(query) {
    if (query.has('key')) {
      this.#wanted = query;
      this.#settle();
    }
  }

  async look() {
    if (this.#isAsking) {
      return;
    }
    this.#isAsking = true;
    try {
      const settings = await call('/api/admin/settings');
      const history = await call(`/api/admin/settings/history?limit=${HISTORY}`);
      if (isRefused(settings.status) || isRefused(history.status)) {
        this.onRefused();
      } else if (settings.status === 200 && history.status === 200) {
        this.#isAway = false;
        this.#settings = settings.body.settings;
        this.#history = history.body;
      } else {
        this.#isAway = true;
      }
    } catch {
      this.#isAway = true;
    } finally {
      this.#isAsking = false;
    }
    this.draw();
  }

  // The form

  /** The keys to choose from, once they are known, and what the address wants chosen. */
  #settle() {
    if (this.#settings.length === 0) {
      return;
    }
    if (this.#key.options.length === 0) {
      const keys = [...new Set(this.#settings.map(({ key }) => key))];
      for (const family of FAMILIES) {
        const group = document.createElement('optgroup');
        group.label = family;
        group.append(
          ...keys.filter((key) => key.startsWith(`${family}.`)).map((key) => new Option(key, key)),
        );
        if (group.children.length > 0) {
          this.#key.append(group);
        }
      }
      this.#key.value = 'hot.threshold';
      this.#wanted ??= new URLSearchParams();
    }
    if (this.#wanted) {
      const wanted = this.#wanted;
      this.#wanted = null;
      const kind = ['room', 'country', 'app'].find((scope) => wanted.has(scope));
      const key = wanted.get('key');
      if (key && [...this.#key.options].some(({ value }) => value === key)) {
        this.#key.value = key;
      }
      this.#offerScopes();
      this.#scope.value = kind ?? 'global';
      this.#name.value = (kind && wanted.get(kind)) ?? '';
      this.#turnTo();
      if (key) {
        this.#value.focus();
        this.#value.select();
      }
    }
  }

  #offerScopes() {
    const scopes = this.#known('global')?.scopes ?? ['global'];
    const before = this.#scope.value;
    this.#scope.replaceChildren(...scopes.map((scope) => new Option(text(`scope${scope}`), scope)));
    this.#scope.value = scopes.includes(before) ? before : scopes[0];
  }

  /** Another setting or scope was chosen. */
  #turnTo() {
    this.#offerScopes();
    this.#isWritten = false;
    this.#result = () => '';
    this.#refuse('value', null);
    this.#refuse('scope', null);
    this.draw();
  }

  /** The scope as the API writes it. */
  #chosenScope() {
    const kind = this.#scope.value;
    return kind === 'global' ? kind : `${kind}=${this.#name.value.trim()}`;
  }

  /** @param {string} scope */
  #known(scope) {
    return this.#settings.find((set) => set.key === this.#key.value && set.scope === scope);
  }

  /**
   * @param {'value' | 'scope'} field
   * @param {?string} reason
   */
  #refuse(field, reason) {
    const input = field === 'value' ? this.#value : this.#name;
    const place = byId(`${field}-refused`);
    place.hidden = reason === null;
    write(place, reason ?? '');
    if (reason === null) {
      input.removeAttribute('aria-invalid');
    } else {
      input.setAttribute('aria-invalid', 'true');
      input.focus();
    }
  }

  draw() {
    byId('settings-away').hidden = !this.#isAway;
    this.#settle();
    const hint = this.#known('global');
    if (hint) {
      this.#drawForm(hint);
    }
    this.#drawHistory();
  }

  /** @param {Setting} hint */
  #drawForm(hint) {
    for (const option of this.#scope.options) {
      write(option, text(`scope${option.value}`));
    }
    write(byId('key-what'), hint.description);
    this.#name.hidden = this.#scope.value === 'global';
    this.#name.setAttribute('aria-label', text(`name${this.#scope.value}`));
    this.#name.placeholder = text(`name${this.#scope.value}`);
    write(byId('value-allowed'), text('setAllowed', { allowed: hint.allowed }));
    suggest(hint.allowed);

    const scope = this.#chosenScope();
    const now = this.#known(scope) ?? hint;
    write(
      byId('value-now'),
      text(now.from === 'default' ? 'setNowDefault' : 'setNow', {
        value: written(now.value),
        from: scopeName(now.from),
        time: now.at ? clock(new Date(now.at)) : '',
        who: now.who ?? '–',
      }),
    );
    if (!this.#isWritten && document.activeElement !== this.#value) {
      this.#value.value = written(now.value);
    }
    const isSet = now.from === scope;
    byId('unset').setAttribute('aria-disabled', String(!isSet || this.#isChanging));
    byId('set').setAttribute('aria-disabled', String(this.#isChanging));
    write(byId('result'), this.#result());
  }

  /** @param {'PUT' | 'DELETE'} method */
  async #change(method) {
    const isOff = byId(method === 'PUT' ? 'set' : 'unset').getAttribute('aria-disabled') === 'true';
    if (isOff) {
      return;
    }
    this.#refuse('value', null);
    this.#refuse('scope', null);
    const kind = this.#scope.value;
    const query =
      kind === 'global' ? '' : `?${new URLSearchParams({ [kind]: this.#name.value.trim() })}`;
    const path = `/api/admin/settings/${this.#key.value}${query}`;
    const scope = this.#chosenScope();
    this.#isChanging = true;
    this.#tell(() => text('setSending'), 'going');
    const began = performance.now();
    try {
      const body = method === 'PUT' ? asJson(this.#value.value) : undefined;
      const headers = { 'Content-Type': 'application/json' };
      const answer = await call(path, { method, headers, body });
      if (answer.status === 400) {
        this.#showRefusal(answer.body);
      } else if (isRefused(answer.status)) {
        this.onRefused();
      } else if (answer.status === 200 || answer.status === 204) {
        await this.#untilInForce(path, scope, answer.body?.offset ?? null, began);
      } else if (answer.status === 202) {
        this.#tell(() => text('setUnsure'), 'failed');
      } else {
        const said = answer.body?.detail ?? `HTTP ${answer.status}`;
        this.#tell(() => text('deskUnchanged', { why: said }), 'failed');
      }
    } catch {
      this.#tell(() => text('setUnsure'), 'failed');
    } finally {
      this.#isChanging = false;
    }
    await this.look();
  }

  /** @param {any} problem */
  #showRefusal(problem) {
    const errors = problem?.errors ?? [];
    const said = errors.length > 0 ? errors[0] : { field: 'value', message: problem?.detail ?? '' };
    const field = ['room', 'country', 'app'].includes(said.field) ? 'scope' : 'value';
    this.#refuse(field, said.message.replace('is refused: ', ''));
    this.#tell(() => text('setRefused'), 'failed');
  }

  /**
   * @param {string} path
   * @param {string} scope
   * @param {?number} offset of the change; null when the setting was unset
   * @param {number} began
   */
  async #untilInForce(path, scope, offset, began) {
    while (performance.now() - began < PATIENCE_MS) {
      const { status, body } = await call(path);
      const isSo = offset === null ? body?.from !== scope : (body?.offset ?? -1) >= offset;
      if (status === 200 && isSo) {
        const took = number(Math.round(performance.now() - began));
        this.#isWritten = false;
        this.#tell(() => text(offset === null ? 'setUnsetDone' : 'setDone', { took }), 'done');
        return;
      }
      await pause(ASK_EVERY_MS);
    }
    // What the gate refused, though the API took it, stands in the history.
    await this.look();
    const attempt = this.#history?.find((tried) => tried.offset === offset);
    if (attempt && !attempt.accepted) {
      this.#refuse('value', attempt.reason ?? '');
      this.#tell(() => text('setRefused'), 'failed');
    } else {
      this.#tell(() => text('setNotYet'), 'failed');
    }
  }

  /**
   * @param {() => string} result
   * @param {'going' | 'done' | 'failed'} state
   */
  #tell(result, state) {
    this.#result = result;
    byId('result').dataset.state = state;
    this.draw();
  }

  // The history

  #drawHistory() {
    const attempts = [...(this.#history ?? [])].sort((a, b) => b.offset - a.offset);
    byId('none-past').hidden = !this.#history || attempts.length > 0;
    keyed(
      byId('history'),
      attempts.map(({ offset }) => String(offset)),
      () => {
        const item = document.createElement('li');
        item.innerHTML =
          '<time class="when"></time><span class="what"><code></code> <span></span></span><code class="to"></code><span class="who"></span><span class="outcome"><i aria-hidden="true"></i><span></span></span><span class="reason" lang="en"></span>';
        return item;
      },
      (item, i) => {
        const { setting, value, accepted, reason, who, at } = attempts[i];
        const { key, kind, name } = addressOf(setting ?? '');
        const when = /** @type {HTMLTimeElement} */ (item.querySelector('.when'));
        when.dateTime = at;
        write(when, clock(new Date(at)));
        write(item.querySelector('.what code'), key || '–');
        write(
          item.querySelector('.what span'),
          kind === 'global' ? '' : scopeName(`${kind}=${name}`),
        );
        write(item.querySelector('.to'), value === null ? text('historyUnset') : written(value));
        write(item.querySelector('.who'), who ?? '–');
        item.dataset.accepted = String(accepted);
        write(
          item.querySelector('.outcome span'),
          text(accepted ? 'historyAccepted' : 'historyRefused'),
        );
        write(item.querySelector('.reason'), reason ?? '');
      },
    );
  }
}

/** @param {unknown} value */
const written = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** @param {string} scope as the API writes it */
function scopeName(scope) {
  const [kind, name] = scope.split(/=(.*)/s);
  return name === undefined
    ? text(`scope${kind}`)
    : text('scopeNamed', { kind: text(`word${kind}`), name });
}

/**
 * The words that a value may be, where it may be words.
 *
 * @param {string} allowed
 */
function suggest(allowed) {
  const words = /^one of |^"\w+" or /.test(allowed)
    ? [...allowed.split(' or ')[0].matchAll(/"(\w+)"/g)].map(([, word]) => word)
    : [];
  const list = byId('values');
  if (list.dataset.words !== words.join()) {
    list.dataset.words = words.join();
    list.replaceChildren(...words.map((word) => new Option(word, word)));
  }
}
