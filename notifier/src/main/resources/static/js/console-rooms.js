import { Chart } from './chart.js';
import { calmOrder, Courses, decisive } from './heat.js';
import { clock, country, number, percent, say, short, text } from './page.js';

const MOST_HOT = 50;
const MOST_NEAR = 10;
const MOST_SLICES = 6;
/** The end of a bar, in thresholds. */
const BAR_END = 2;
/** For so long after a pointer moved over the lists, their rows keep their places. */
const HELD_MS = 5_000;

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const FLAME = '<svg class="flame" aria-hidden="true"><use href="#flame"/></svg>';

/** @typedef {import('./heat.js').Room} Room */

/**
 * @typedef {object} Answer
 * @property {string} [at] when it was so; without it, when it came
 * @property {Room[]} rooms
 * @property {Array<Record<string, any>>} partitions
 * @property {{count: number, p50: ?number, p99: ?number, max: ?number}} decision
 * @property {?{state: string, lagMillis: ?number}} redis
 * @property {?{rooms: number, shed: number}} edge
 */

/** Which rooms are hot, and one of them in detail. */
export class RoomsView {
  /** @type {?Answer} */
  #answer = null;
  #at = 0;
  #courses = new Courses();
  /** @type {?Set<string>} */
  #hotBefore = null;
  /** @type {Record<string, string[]>} */
  #orders = { hot: [], near: [] };
  /** @type {?string} */
  #chosen = null;
  /** @type {?number} */
  #pointed = null;
  #heldAt = Number.NEGATIVE_INFINITY;
  /** @type {?Chart} */
  #chart = null;

  constructor() {
    for (const id of ['hot', 'near']) {
      byId(id).addEventListener('click', (event) => {
        const row = /** @type {HTMLElement} */ (event.target).closest('tr[data-room]');
        if (row) {
          this.#choose(/** @type {string} */ (/** @type {HTMLElement} */ (row).dataset.room));
        }
      });
    }
    byId('lists').addEventListener('pointermove', () => {
      this.#heldAt = performance.now();
    });
    byId('lists').addEventListener('keydown', (event) => this.#step(event));
    new MutationObserver(() => this.#chart?.repaint()).observe(document.documentElement, {
      attributeFilter: ['data-theme', 'lang'],
    });
  }

  get hotCount() {
    return this.#answer?.rooms.filter(({ hot }) => hot).length ?? 0;
  }

  /** @param {Answer} answer */
  take(answer) {
    this.#answer = answer;
    this.#at = answer.at ? Date.parse(answer.at) : Date.now();
    this.#courses.add(this.#at / 1000, answer.rooms);
    const hot = new Set(answer.rooms.filter((room) => room.hot).map(({ roomId }) => roomId));
    this.#tellOfChanges(hot);
    this.#hotBefore = hot;
    const isHeld = performance.now() - this.#heldAt < HELD_MS;
    for (const [list, isHot] of [
      ['hot', true],
      ['near', false],
    ]) {
      const listed = answer.rooms.filter((room) => room.hot === isHot);
      const weights = new Map(listed.map((room) => [room.roomId, decisive(room).ratio]));
      const before = this.#orders[String(list)];
      this.#orders[String(list)] = isHeld
        ? [...before, ...weights.keys()].filter(
            (id, i, all) => weights.has(id) && all.indexOf(id) === i,
          )
        : calmOrder(before, weights);
    }
    this.#chosen ??= this.#orders.hot[0] ?? this.#orders.near[0] ?? null;
  }

  /** @param {Set<string>} hot */
  #tellOfChanges(hot) {
    if (!this.#hotBefore) {
      return;
    }
    const before = this.#hotBefore;
    const heated = [...hot].filter((id) => !before.has(id));
    const cooled = [...before].filter((id) => !hot.has(id));
    const news = [
      ...this.#news('consoleSayHot', heated),
      ...this.#news('consoleSayCooled', cooled),
    ];
    if (news.length > 0) {
      say(news.join(' '));
    }
  }

  /**
   * @param {string} key
   * @param {string[]} rooms
   */
  #news(key, rooms) {
    const named = rooms.slice(0, 3).join(', ');
    return rooms.length === 0
      ? []
      : [text(key, { rooms: named, more: Math.max(rooms.length - 3, 0) })];
  }

  /** @param {?string} roomId */
  select(roomId) {
    if (roomId) {
      this.#chosen = roomId;
    }
  }

  /** @param {string} roomId */
  #choose(roomId) {
    this.#chosen = roomId;
    history.replaceState(null, '', `#rooms?${new URLSearchParams({ room: roomId })}`);
    this.draw();
    const one = byId('one');
    // Where it stands below the lists, whoever chose it is brought to it.
    if (one.getBoundingClientRect().top > byId('lists').getBoundingClientRect().bottom - 1) {
      byId('one-title').focus({ preventScroll: true });
      one.scrollIntoView({ block: 'start' });
    }
  }

  /** @param {KeyboardEvent} event */
  #step(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const buttons = [...byId('lists').querySelectorAll('button')];
    const place = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (step && place >= 0) {
      event.preventDefault();
      buttons[place + step]?.focus();
    }
  }

  draw() {
    if (this.#answer) {
      this.#drawStrip(this.#answer);
      this.#drawPartitions(this.#answer.partitions ?? []);
      this.#drawLists(this.#answer.rooms);
      this.#drawOne();
    }
  }

  // Figures of all

  /** @param {Answer} answer */
  #drawStrip({ rooms, partitions, decision, edge, redis }) {
    const most = (/** @type {string} */ name) =>
      Math.max(0, ...partitions.map((p) => p[name] ?? 0));
    const sum = (/** @type {string} */ name) =>
      partitions.reduce((all, p) => all + (p[name] ?? 0), 0);
    const counted = Math.max(sum('rooms'), rooms.length);
    figure('hot', number(this.hotCount), text('figHotOf', { text: number(counted) }));
    figure(
      'lag',
      text('figCounts', { text: number(most('lag')) }),
      text('figEvents', { text: number(most('eventLag')) }),
    );
    if (decision?.count > 0) {
      const [p50, p99, max] = [decision.p50, decision.p99, decision.max].map(millis);
      figure('decision', `${p50} · ${p99} ms`, text('figAtMost', { text: `${max} ms` }));
    } else {
      figure('decision', '–', text('figNoneYet'));
    }
    byId('fig-edge').hidden = !edge;
    if (edge) {
      figure(
        'edge',
        text('figRooms', { n: edge.rooms, text: number(edge.rooms) }),
        text('figShed', { text: number(edge.shed) }),
        edge.shed > 0,
      );
    }
    byId('fig-redis').hidden = !redis;
    if (redis) {
      const behind = text('figBehind', { text: `${number(redis.lagMillis ?? 0)} ms` });
      figure('redis', text(`redis${redis.state}`), behind, redis.state !== 'UP');
    }
    const odd = ['late', 'ahead', 'shed']
      .map((name) => ({ name, n: sum(name) }))
      .filter(({ n }) => n > 0);
    byId('fig-odd').hidden = odd.length === 0;
    const [first, ...others] = odd.map(({ name, n }) => text(`odd${name}`, { text: number(n) }));
    figure('odd', first ?? '', others.join(' · '), true);
  }

  /** @param {Array<Record<string, any>>} partitions */
  #drawPartitions(partitions) {
    if (!byId('partitions').closest('details')?.open) {
      return;
    }
    keyed(
      byId('partitions'),
      partitions.map(({ partition }) => String(partition)),
      () => {
        const row = document.createElement('tr');
        row.innerHTML = `<th scope="row"></th><td class="words"></td><td class="words"></td>${'<td></td>'.repeat(6)}`;
        return row;
      },
      (row, i) => {
        const { partition, status, owner, ...figures } = partitions[i];
        const words = [partition, status ?? '–', owner ?? '–'].map(String);
        const numbers = ['lag', 'eventLag', 'rooms', 'late', 'ahead', 'shed'].map((name) =>
          figures[name] >= 0 ? number(figures[name]) : '–',
        );
        [...words, ...numbers].forEach((word, place) => write(row.children[place], word));
      },
    );
  }

  // Lists

  /** @param {Room[]} rooms */
  #drawLists(rooms) {
    const byName = new Map(rooms.map((room) => [room.roomId, room]));
    const focused = /** @type {?HTMLElement} */ (document.activeElement?.closest('tr[data-room]'))
      ?.dataset.room;
    for (const [list, most] of [
      ['hot', MOST_HOT],
      ['near', MOST_NEAR],
    ]) {
      const ids = this.#orders[String(list)].filter((id) => byName.has(id));
      byId(`none-${list}`).hidden = ids.length > 0;
      byId(String(list)).hidden = ids.length === 0;
      const body = /** @type {HTMLElement} */ (byId(String(list)).querySelector('tbody'));
      keyed(body, ids.slice(0, Number(most)), rowOf, (row, i) =>
        this.#fill(row, /** @type {Room} */ (byName.get(ids[i]))),
      );
    }
    const more = this.#orders.hot.length - MOST_HOT;
    byId('more-hot').hidden = more <= 0;
    byId('more-hot').textContent = text('more', { text: number(more) });
    // A room that turns hot takes its row to the other list, and whoever is at it goes along.
    if (focused && document.activeElement === document.body) {
      const row = document.querySelector(`#lists tr[data-room="${CSS.escape(focused)}"] button`);
      /** @type {?HTMLElement} */ (row)?.focus({ preventScroll: true });
    }
  }

  /**
   * @param {HTMLElement} row
   * @param {Room} room
   */
  #fill(row, room) {
    const part = decisive(room);
    const isChosen = room.roomId === this.#chosen;
    row.classList.toggle('chosen', isChosen);
    const [name, since, rate, share, audience] = row.children;
    const button = /** @type {HTMLElement} */ (name.querySelector('button'));
    button.setAttribute('aria-pressed', String(isChosen));
    const because = room.hot ? (room.because ?? part.name) : part.name;
    write(name.querySelector('.small'), room.hot || because !== 'room' ? partName(because) : '');
    write(since.querySelector('.main'), room.since && room.hot ? clock(new Date(room.since)) : '');
    write(since.querySelector('.small'), room.since && room.hot ? this.#lasting(room.since) : '');
    write(rate.querySelector('.main'), number(part.rate));
    write(
      rate.querySelector('.small'),
      text('ofThreshold', { threshold: number(part.threshold), window: number(room.window) }),
    );
    write(share.querySelector('.percent'), percent(part.ratio));
    const demand =
      room.hot && part.name === 'room' && room.demand > room.rate && room.threshold > 0;
    write(
      share.querySelector('.small'),
      demand ? text('demandAt', { percent: percent(room.demand / room.threshold) }) : '',
    );
    const bar = /** @type {HTMLElement} */ (share.querySelector('.share'));
    bar.style.setProperty('--part', String(Math.min(part.ratio / BAR_END, 1)));
    write(audience.querySelector('.main'), number(room.audience));
  }

  /** @param {string} since */
  #lasting(since) {
    const seconds = Math.max(Math.floor((this.#at - Date.parse(since)) / 1000), 0);
    const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    const rest = two(seconds % 60);
    return text('lasting', {
      text: hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`,
    });
  }

  // One of them

  #drawOne() {
    const roomId = this.#chosen;
    const now = this.#answer?.rooms.find((room) => room.roomId === roomId);
    const room = now ?? this.#courses.last(roomId);
    byId('one').hidden = !roomId;
    if (!roomId) {
      return;
    }
    write(byId('one-title'), roomId);
    const link = `#settings?${new URLSearchParams({ key: 'hot.threshold', room: roomId })}`;
    byId('to-threshold').setAttribute('href', link);
    const state = byId('one-state');
    state.hidden = !room;
    if (!room) {
      write(byId('one-why'), text('oneUnknown'));
      this.#drawChart();
      this.#figuresOfOne(null);
      byId('by-country').replaceChildren();
      byId('by-app').replaceChildren();
      return;
    }
    const isHot = room.hot && Boolean(now);
    if (state.classList.toggle('is-hot', isHot) !== state.innerHTML.includes('svg')) {
      state.innerHTML = `${isHot ? FLAME : ''}<span></span>`;
    }
    write(
      state.lastElementChild ?? state.appendChild(document.createElement('span')),
      isHot && room.since
        ? text('hotSince', { time: clock(new Date(room.since)) })
        : text(isHot ? 'hotNow' : 'notHot'),
    );
    write(
      byId('one-why'),
      !now ? text('oneGone') : room.hot ? why(room.because ?? 'room') : text('whyNot'),
    );
    this.#drawChart();
    this.#figuresOfOne(room);
    this.#slices('country', room.byCountry ?? {}, room);
    this.#slices('app', room.byApp ?? {}, room);
  }

  #drawChart() {
    const holder = byId('chart');
    if (holder.clientWidth === 0) {
      return; // The other view is shown.
    }
    const [rate, demand, threshold, hot] = ['rate', 'demand', 'threshold', 'hot'].map((name) =>
      byId(`swatch-${name}`),
    );
    this.#chart ??= new Chart(
      holder,
      { rate, demand, threshold, hot },
      { short, ago: (seconds) => (seconds === 0 ? text('chartNow') : `−${seconds} s`) },
      (index) => {
        this.#pointed = index;
        this.#figuresOfOne(this.#courses.last(this.#chosen));
      },
    );
    this.#chart.show(this.#courses.of(this.#chosen));
  }

  /** @param {?Room} room */
  #figuresOfOne(room) {
    const course = this.#courses.of(this.#chosen);
    const at = this.#pointed !== null && course[1][this.#pointed] != null ? this.#pointed : null;
    const of = (/** @type {number} */ series, /** @type {number | undefined} */ latest) =>
      at === null ? latest : course[series][at];
    const window = room?.window ?? 1;
    for (const [name, value] of [
      ['rate', of(1, room?.rate)],
      ['demand', of(2, room?.demand)],
      ['threshold', of(3, room?.threshold)],
    ]) {
      const isKnown = typeof value === 'number';
      write(byId(`one-${name}`), isKnown ? number(value) : '–');
      write(
        byId(`one-${name}-second`),
        isKnown ? text('perSecond', { text: number(perSecond(value, window)) }) : '',
      );
    }
    write(byId('one-audience'), room ? number(room.audience) : '–');
    if (room) {
      byId('chart').setAttribute(
        'aria-label',
        text('chartLabel', {
          room: room.roomId,
          rate: number(room.rate),
          demand: number(room.demand),
          threshold: number(room.threshold),
        }),
      );
      const ago = number(Math.round(-(course[0][at ?? -1] ?? 0)));
      const caption = at === null ? 'chartCaption' : 'chartAt';
      write(byId('chart-caption'), text(caption, { window: number(window), ago }));
    }
  }

  /**
   * @param {'country' | 'app'} kind
   * @param {Record<string, import('./heat.js').Slice>} slices
   * @param {Room} room
   */
  #slices(kind, slices, room) {
    const list = byId(`by-${kind}`);
    const before =
      list.dataset.of === room.roomId
        ? [...list.children].map((item) => /** @type {HTMLElement} */ (item).dataset.key ?? '')
        : [];
    list.dataset.of = room.roomId;
    const weights = new Map(Object.entries(slices).map(([name, { rate }]) => [name, rate]));
    const ids = calmOrder(before, weights).slice(0, MOST_SLICES);
    const total = Math.max(room.rate, ...weights.values(), 1);
    keyed(
      list,
      ids,
      () => {
        const item = document.createElement('li');
        item.innerHTML =
          '<span class="slice-name"></span><span class="slice-rate"></span><span class="slice-bar" aria-hidden="true"><i></i></span><span class="slice-of"></span>';
        return item;
      },
      (item, i) => {
        const { rate, threshold } = slices[ids[i]];
        const isOver = Boolean(threshold && rate > threshold);
        item.classList.toggle('over', isOver);
        const [name, figureOf, bar, of] = item.children;
        if (isOver !== Boolean(name.querySelector('svg')) || name.children.length === 0) {
          name.innerHTML = `${isOver ? FLAME : ''}<span></span>`;
        }
        write(name.lastElementChild, (kind === 'country' ? country(ids[i]) : ids[i]) || '–');
        write(figureOf, number(rate));
        /** @type {HTMLElement} */ (bar).style.setProperty('--part', String(rate / total));
        write(
          of,
          threshold ? text('ofSlice', { threshold: number(threshold) }) : percent(rate / total),
        );
      },
    );
    const left = weights.size - ids.length;
    list.classList.toggle('none', weights.size === 0);
    list.dataset.more = left > 0 ? text('more', { text: number(left) }) : '';
    if (weights.size === 0) {
      list.dataset.more = text('sliceNone');
    }
  }
}

/** @param {string} part */
function partName(part) {
  const [kind, name] = part.split(/=(.*)/s);
  return kind === 'country'
    ? country(name)
    : kind === 'app'
      ? text('partApp', { name })
      : text('partRoom');
}

/** @param {string} because */
function why(because) {
  const [kind, name] = because.split(/=(.*)/s);
  return kind === 'country'
    ? text('whyCountry', { name: country(name) })
    : kind === 'app'
      ? text('whyApp', { name })
      : text('whyRoom');
}

/**
 * @param {number} events
 * @param {number} window in seconds
 */
function perSecond(events, window) {
  const rate = events / window;
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
}

/** @param {?number} ms */
const millis = (ms) =>
  ms == null ? '–' : number(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms));

/**
 * @param {string} name
 * @param {string} big
 * @param {string} small
 * @param {boolean} [isOdd]
 */
function figure(name, big, small, isOdd = false) {
  const box = byId(`fig-${name}`);
  box.classList.toggle('odd', isOdd);
  write(box.querySelector('.big'), big);
  write(box.querySelector('.small'), small);
}

/** @param {string} roomId */
function rowOf(roomId) {
  const row = document.createElement('tr');
  row.dataset.room = roomId;
  row.innerHTML = `<th scope="row" class="c-name"><button type="button"><span class="room"></span></button><span class="small"></span></th>
    <td class="c-since"><span class="main"></span><span class="small"></span></td>
    <td class="c-rate"><span class="main"></span><span class="small"></span></td>
    <td class="c-share"><span class="share" aria-hidden="true"><i></i></span><span class="percent"></span><span class="small"></span></td>
    <td class="c-audience"><span class="main"></span></td>`;
  write(row.querySelector('.room'), roomId);
  return row;
}

/**
 * Has the children of a list stand for `ids` in their order; those that may stay aren't touched.
 *
 * @param {HTMLElement} list
 * @param {string[]} ids
 * @param {(id: string) => HTMLElement} make
 * @param {(child: HTMLElement, place: number) => void} fill
 */
export function keyed(list, ids, make, fill) {
  const before = new Map(
    [...list.children].map((child) => [
      /** @type {HTMLElement} */ (child).dataset.key,
      /** @type {HTMLElement} */ (child),
    ]),
  );
  const wanted = new Set(ids);
  for (const [key, child] of before) {
    if (!wanted.has(key ?? '')) {
      child.remove();
    }
  }
  ids.forEach((id, place) => {
    let child = before.get(id);
    if (!child) {
      child = make(id);
      child.dataset.key = id;
    }
    if (list.children[place] !== child) {
      list.insertBefore(child, list.children[place] ?? null);
    }
    fill(child, place);
  });
}

/**
 * @param {?Element} element
 * @param {string} words
 */
export function write(element, words) {
  if (element && element.textContent !== words) {
    element.textContent = words;
  }
}
