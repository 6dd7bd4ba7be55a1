/** What the figures of rooms mean, apart from how a page shows them. */

/** How far back a course goes. */
export const COURSE_SECONDS = 120;

/** Of two neighbours in a list the lower one must be this much heavier to pass. */
const PASSES_WHEN = 1.1;
/** Without an answer for longer a course has a gap. */
const GAP_SECONDS = 3.5;

/**
 * @typedef {object} Slice
 * @property {number} rate events in the window
 * @property {number} [threshold]
 *
 * @typedef {object} Room
 * @property {string} roomId
 * @property {boolean} hot
 * @property {?string} because `room`, `country=KR` or `app=ios`
 * @property {number} rate events in the window
 * @property {number} demand what the rate would be if nobody were held back
 * @property {number} threshold
 * @property {number} window in seconds
 * @property {number} audience
 * @property {?string} since
 * @property {Record<string, Slice>} [byCountry]
 * @property {Record<string, Slice>} [byApp]
 *
 * @typedef {object} Judged
 * @property {string} name as in `because`
 * @property {number} rate
 * @property {number} threshold
 * @property {number} ratio
 */

/**
 * The part of a room that made it hot; of one that isn't, the part nearest to its threshold.
 *
 * @param {Room} room
 * @returns {Judged}
 */
export function decisive(room) {
  const parts = [judged('room', room)];
  for (const [kind, slices] of [
    ['country', room.byCountry],
    ['app', room.byApp],
  ]) {
    for (const [name, slice] of Object.entries(slices ?? {})) {
      if (slice.threshold) {
        parts.push(judged(`${kind}=${name}`, slice));
      }
    }
  }
  return (
    parts.find(({ name }) => name === room.because) ??
    parts.reduce((most, part) => (part.ratio > most.ratio ? part : most))
  );
}

/**
 * @param {string} name
 * @param {Slice} slice
 * @returns {Judged}
 */
function judged(name, { rate, threshold }) {
  return { name, rate, threshold: threshold ?? 0, ratio: threshold ? rate / threshold : 0 };
}

/**
 * The heaviest first, but calmly: what was listed keeps its place until what is below has become a
 * good deal heavier, so that a list can be read while its figures change.
 *
 * @param {string[]} before
 * @param {Map<string, number>} weights
 * @returns {string[]}
 */
export function calmOrder(before, weights) {
  const weight = (/** @type {string} */ id) => weights.get(id) ?? 0;
  const order = before.filter((id) => weights.has(id));
  const listed = new Set(order);
  const fresh = [...weights.keys()].filter((id) => !listed.has(id));
  for (const id of fresh.sort((a, b) => weight(b) - weight(a))) {
    const place = order.findIndex((other) => weight(other) < weight(id));
    order.splice(place < 0 ? order.length : place, 0, id);
  }
  for (let i = 1; i < order.length; i++) {
    for (let j = i; j > 0 && weight(order[j]) > weight(order[j - 1]) * PASSES_WHEN; j--) {
      [order[j - 1], order[j]] = [order[j], order[j - 1]];
    }
  }
  return order;
}

/** The figures of all rooms over the last two minutes, as far as they were looked at. */
export class Courses {
  /** @type {Map<string, Array<{at: number, room: ?Room}>>} */
  #courses = new Map();
  #last = Number.NEGATIVE_INFINITY;

  /**
   * @param {number} at in seconds
   * @param {Room[]} rooms
   */
  add(at, rooms) {
    if (at < this.#last - COURSE_SECONDS) {
      this.#courses.clear(); // Another machine answers, with another clock.
    } else if (at <= this.#last) {
      return;
    }
    const gap = at - this.#last > GAP_SECONDS;
    this.#last = at;
    const here = new Map(rooms.map((room) => [room.roomId, room]));
    for (const roomId of new Set([...this.#courses.keys(), ...here.keys()])) {
      const course = this.#courses.get(roomId) ?? [];
      if (gap && course.length > 0) {
        course.push({ at: at - 0.5, room: null });
      }
      course.push({ at, room: here.get(roomId) ?? null });
      while (course[0].at < at - COURSE_SECONDS - 2) {
        course.shift();
      }
      if (course.some(({ room }) => room)) {
        this.#courses.set(roomId, course);
      } else {
        this.#courses.delete(roomId);
      }
    }
  }

  /**
   * @param {?string} roomId
   * @returns {Array<Array<?number>>} seconds before the newest figure, rate, demand, threshold, hot
   */
  of(roomId) {
    const course = (roomId && this.#courses.get(roomId)) || [];
    return [
      course.map(({ at }) => at - this.#last),
      course.map(({ room }) => room && room.rate),
      course.map(({ room }) => room && room.demand),
      course.map(({ room }) => room && room.threshold),
      course.map(({ room }) => room && Number(room.hot)),
    ];
  }

  /**
   * @param {?string} roomId
   * @returns {?Room} as it was last seen
   */
  last(roomId) {
    const course = (roomId && this.#courses.get(roomId)) || [];
    return course.findLast(({ room }) => room)?.room ?? null;
  }
}

/**
 * The top of a scale that holds `most`: a round number, so that the scale seldom changes.
 *
 * @param {number} most
 */
export function roundTop(most) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(most, 10)));
  return unit * ([1, 1.5, 2, 3, 4, 6, 8].find((step) => step * unit >= most) ?? 10);
}

/**
 * The JSON of a value as people write it: `200`, `"30s"`, and `30s` as well.
 *
 * @param {string} written
 */
export function asJson(written) {
  const trimmed = written.trim();
  try {
    JSON.parse(trimmed);
    return trimmed;
  } catch {
    return JSON.stringify(trimmed);
  }
}

/**
 * @param {string} setting such as `hot.threshold@room=lobby`
 * @returns {{key: string, kind: string, name: string}}
 */
export function addressOf(setting) {
  const [, key, kind, name] = /^([^@]*)(?:@(\w+)=(.*))?$/.exec(setting) ?? [null, setting];
  return { key: key ?? setting, kind: kind ?? 'global', name: name ?? '' };
}
