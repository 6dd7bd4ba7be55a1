/**
 * Sluice client: takes a place in a waiting room and follows it to the end, and follows what is said
 * in rooms.
 *
 * ```js
 * const sluice = new SluiceClient({ roomId: 'slack-water', requestId });
 * sluice.addEventListener('rank', ({ detail }) => show(detail.rank));
 * sluice.addEventListener('admitted', ({ detail }) => goToSeats(detail.pass));
 * await sluice.enter();
 * sluice.follow();
 *
 * const chat = sluice.room('lobby');
 * chat.addEventListener('events', ({ detail }) => show(detail.events));
 * ```
 *
 * News comes over STOMP; after three failed attempts in a row it is asked for at the pace that the
 * server recommends, while the connection keeps being tried. What comes late is dropped, and a rank
 * never rises while the same place waits.
 *
 * @module sluice-client
 */
import { Client } from '@stomp/stompjs';

/**
 * @typedef {'PENDING' | 'WAITING' | 'ADMITTED' | 'COMPLETED' | 'LEFT' | 'EXPIRED'} Status
 *
 * @typedef {object} Place what is known of a person's place
 * @property {Status} status
 * @property {string} roomId
 * @property {string} requestId
 * @property {number} [ticket] place in the order of arrival; another ticket is another place
 * @property {number} [rank] 1 is next; 0 once admitted
 * @property {number} [totalWaiting]
 * @property {?number} [estimatedWaitSeconds] null while unknown
 * @property {number} [recommendedPollingInterval] milliseconds
 * @property {string} [expiresAt] when an ADMITTED place ends unless renewed
 * @property {string} [pass] signed proof of admission
 * @property {string} [reason] why EXPIRED: TIMEOUT, MAX_SESSION or CLOSED
 * @property {string} [version] `partition:offset:index`
 * @property {{partition: number, offset: ?number, at: ?string}} [receipt] proof of arrival; without an
 *   offset while it isn't known whether the entry arrived
 *
 * @typedef {object} Room
 * @property {'OPEN' | 'PAUSED' | 'DRAINING' | 'CLOSED'} state
 * @property {number} totalWaiting
 * @property {number} active
 * @property {number} capacity
 *
 * @typedef {object} RoomOptions
 * @property {string} [after] cursor of the last event known already; without it all that is kept comes
 * @property {string} [country] of the reader, two capital letters; counted with each fetch
 * @property {string} [app] of the reader; counted with each fetch
 *
 * @typedef {'idle' | 'connecting' | 'live' | 'reconnecting' | 'polling' | 'lost'} Connection
 *   `reconnecting`: news stopped a moment ago; `polling`: news comes by asking; `lost`: not even
 *   that works. In each of them the place is kept.
 *
 * @typedef {object} Options
 * @property {string} [roomId] to take a place in
 * @property {string} [requestId] names the person; the same one finds the same place again. Both can
 *   be left out by whoever only follows what is said in rooms
 * @property {string} [base] origin of Sluice, where it isn't the page's own
 * @property {string} [session] sent as a header, where there is no cookie
 * @property {number} [backoffBase] ceiling of the first retry's delay in milliseconds
 * @property {number} [backoffCap] ceiling of every retry's delay in milliseconds
 * @property {typeof globalThis.fetch} [fetch]
 * @property {(url: string) => WebSocket} [openSocket]
 * @property {() => number} [random] in [0, 1)
 */

/**
 * @typedef {object} PlaceEvents what each event of a {@link SluiceClient} has in its `detail`
 * @property {Place} state whose status changed
 * @property {Place} rank a waiting one that moved
 * @property {Place} admitted
 * @property {Place} renewed an admitted one that lasts longer
 * @property {SluiceError} unrenewed renewing failed and is tried again
 * @property {Place} timeout
 * @property {Room} room
 * @property {Connection} connection
 * @property {SluiceError} refused nobody here may follow this place, or it is no longer known
 *
 * @typedef {object} RoomEvents what each event of a {@link RoomFeed} has in its `detail`
 * @property {{events: any[], cursor: string}} events oldest first, and the cursor behind them
 * @property {boolean} hot whether the room is hot, when that changes
 * @property {SluiceError} refused this room can't be fetched; the feed has ended
 * @property {null} close
 */

/**
 * @template E
 * @typedef {Omit<EventTarget, 'addEventListener' | 'removeEventListener'> & {
 *   addEventListener<T extends keyof E & string>(type: T, listener: (event: CustomEvent<E[T]>) => void,
 *     options?: boolean | AddEventListenerOptions): void,
 *   removeEventListener<T extends keyof E & string>(type: T,
 *     listener: (event: CustomEvent<E[T]>) => void, options?: boolean | EventListenerOptions): void,
 * }} Teller an EventTarget whose listeners know what they are told
 */

const HEARTBEAT_MS = 20_000;
const SILENCE_MS = 35_000;
/** How often it looks for silence, and asks for rooms that it isn't told of. */
const CHECK_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const STABLE_MS = 10_000;
const LATEST_RETURN_MS = 60_000;
const CROSSING_MS = 5_000;
const FAILURES_BEFORE_POLLING = 3;
const DEFAULT_POLLING_MS = 5_000;
const QUIET_BEFORE_ASKING_MS = 30_000;
const BETWEEN_QUESTIONS_MS = 5_000;
const EVENTS_AT_ONCE = 200;
const HOT_SPREAD_MS = 300;
const CATCH_UP_TRIES = 5;
/** The server's 32 subscriptions a connection, without the five of a place and of the server. */
const ROOMS_TOLD_AT_ONCE = 27;

const STEPS = { PENDING: 0, WAITING: 1, ADMITTED: 2, COMPLETED: 3, LEFT: 3, EXPIRED: 3 };

/** @param {?Place} place */
export const hasEnded = (place) => place != null && STEPS[place.status] === 3;

/** A refusal or failure of a call, with the server's own words where it gave some. */
export class SluiceError extends Error {
  /**
   * @param {number} status HTTP status; 0 when no answer came
   * @param {{type?: string, title?: string, detail?: string}} [problem] as in RFC 9457
   * @param {number} [retryAfterMs] how long the server asks to wait
   */
  constructor(status, problem = {}, retryAfterMs = 0) {
    super(problem.detail ?? problem.title ?? (status ? `HTTP ${status}` : 'no answer'));
    this.name = 'SluiceError';
    this.status = status;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same call may succeed later without anyone doing anything. */
  get passing() {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** Exponential backoff with full jitter: each delay is random between 0 and a ceiling that doubles. */
export class Backoff {
  #attempt = 0;

  /**
   * @param {number} base the first ceiling, milliseconds
   * @param {number} cap the highest ceiling, milliseconds
   * @param {() => number} [random]
   */
  constructor(base, cap, random = Math.random) {
    this.base = base;
    this.cap = cap;
    this.random = random;
  }

  next() {
    const ceiling = Math.min(this.cap, this.base * 2 ** Math.min(this.#attempt++, 30));
    return Math.round(this.random() * ceiling);
  }

  reset() {
    this.#attempt = 0;
  }

  /** Another one like it, at its beginning. */
  anew() {
    return new Backoff(this.base, this.cap, this.random);
  }
}

/**
 * Orders versions of one person: by offset, then index. A missing one is older than any.
 *
 * @param {string} [a]
 * @param {string} [b]
 * @returns {number} negative when `a` is older
 */
export function compareVersions(a, b) {
  const [x, y] = [a, b].map((version) => (version ?? '0:-1:-1').split(':').map(Number));
  return x[1] - y[1] || x[2] - y[2];
}

/**
 * Joins what is known of a place with a body that just came, in whatever order bodies come.
 *
 * @param {?Place} known
 * @param {Partial<Place> & {status: Status}} news
 * @returns {{verdict: 'news' | 'stale' | 'ask', place: Place}} `ask`: it speaks of another place
 *   than the known one, and doesn't say which; the server has to be asked
 */
export function merge(known, news) {
  const taken = { verdict: /** @type {'news'} */ ('news'), place: /** @type {Place} */ ({ ...news }) };
  if (!known) {
    return taken;
  }
  const stale = { verdict: /** @type {'stale'} */ ('stale'), place: known };
  if (news.status === 'PENDING') {
    if (known.status === 'WAITING' || known.status === 'ADMITTED') {
      return stale;
    }
    const { receipt } = news;
    taken.place.version = receipt?.offset != null ? `${receipt.partition}:${receipt.offset}:0` : known.version;
    return taken;
  }
  const age = compareVersions(news.version, known.version);
  if (known.status === 'PENDING') {
    return age < 0 ? stale : taken;
  }

  const step = STEPS[news.status] - STEPS[known.status];
  if (news.ticket !== undefined && known.ticket !== undefined) {
    if (news.ticket !== known.ticket) {
      return news.ticket > known.ticket ? taken : stale;
    }
    if (step < 0) {
      return stale;
    }
  } else if (age < 0) {
    return stale;
  } else if (step < 0) {
    return age > 0 ? { verdict: 'ask', place: known } : stale;
  } else if (step === 0 && /** @type {number} */ (news.rank) > /** @type {number} */ (known.rank)) {
    // Of one place the lower rank is the newer; but the other may say more, such as the ticket.
    return age > 0
      ? { verdict: 'ask', place: known }
      : { verdict: 'news', place: /** @type {Place} */ ({ ...news, ...known }) };
  }

  if (step > 0) {
    const { ticket, receipt } = known;
    return { verdict: 'news', place: /** @type {Place} */ ({ ticket, receipt, ...news }) };
  }
  if (news.status === 'WAITING') {
    const place = age < 0 ? { ...news, ...known } : { ...known, ...news };
    place.rank = Math.min(known.rank ?? Infinity, news.rank ?? Infinity);
    return { verdict: 'news', place: /** @type {Place} */ (place) };
  }
  if (news.status === 'ADMITTED') {
    const renewed = Date.parse(news.expiresAt ?? '') >= Date.parse(known.expiresAt ?? '');
    const place = renewed ? { ...known, ...news } : { ...news, ...known };
    return { verdict: 'news', place: /** @type {Place} */ (place) };
  }
  return stale;
}

/**
 * What is said in one room, in order and without gaps as far as Sluice still has it. A push says only
 * how far the room has got; the events themselves are fetched, one fetch at a time, so that whatever
 * was said meanwhile comes in one go. Its events are {@link RoomEvents}.
 */
export class RoomFeed extends /** @type {new () => Teller<RoomEvents>} */ (EventTarget) {
  #cursor;
  #pushed = -1n;
  /** Answers in a row that didn't go on, though something newer was pushed. */
  #behind = 0;
  #hot = false;
  #wanted = false;
  #fetching = false;
  /** Runs while it is behind and asks slowly. @type {?ReturnType<typeof setTimeout>} */
  #slowTimer = null;
  #ended = new AbortController();
  #call;
  #random;
  #query;

  /**
   * @param {string} roomId
   * @param {RoomOptions} options
   * @param {(method: string, path: string, body: undefined, signal: AbortSignal) => Promise<any>} call
   * @param {() => number} random
   */
  constructor(roomId, { after = '-1', country, app }, call, random) {
    super();
    this.roomId = roomId;
    this.#cursor = BigInt(after);
    this.#call = call;
    this.#random = random;
    this.#query = { ...(country && { country }), ...(app && { app }) };
  }

  /** Of the last event that came, as text. @returns {string} */
  get cursor() {
    return String(this.#cursor);
  }

  /** Whether the room is hot, and pushes are few. @returns {boolean} */
  get hot() {
    return this.#hot;
  }

  get closed() {
    return this.#ended.signal.aborted;
  }

  /** Ends it. */
  close() {
    if (!this.closed) {
      this.#ended.abort();
      this.#clearSlow();
      this.#emit('close', null);
    }
  }

  /**
   * Takes a body of `/topic/room/{roomId}`.
   *
   * @param {{roomId: string, cursor: string, hot: boolean}} body a negative cursor: not known
   */
  told(body) {
    const pushed = /^-?\d+$/.test(body.cursor) ? BigInt(body.cursor) : -1n;
    if (pushed > this.#pushed) {
      this.#pushed = pushed;
      this.#behind = 0;
    }
    if (this.#hot !== body.hot) {
      this.#hot = body.hot;
      this.#emit('hot', body.hot);
    }
    if (pushed < 0n) {
      this.refresh();
    } else if (this.#isBehind()) {
      this.#start();
    }
  }

  /** Fetches what may be new. */
  refresh() {
    this.#wanted = true;
    this.#start();
  }

  /** An event that was pushed may no longer be kept, so soon it is asked for only slowly. */
  #isBehind() {
    return this.#cursor < this.#pushed && this.#behind < CATCH_UP_TRIES;
  }

  #start() {
    if (!this.#fetching && !this.closed) {
      this.#clearSlow();
      this.#fetching = true;
      this.#fetchAll().finally(() => {
        this.#fetching = false;
        if (this.#cursor < this.#pushed && !this.closed) {
          const delay = DEFAULT_POLLING_MS * (1 + this.#random() / 10);
          this.#slowTimer = setTimeout(() => this.refresh(), delay);
        }
      });
    }
  }

  #clearSlow() {
    if (this.#slowTimer !== null) {
      clearTimeout(this.#slowTimer);
      this.#slowTimer = null;
    }
  }

  async #fetchAll() {
    const { signal } = this.#ended;
    const backoff = new Backoff(500, 10_000, this.#random);
    while ((this.#wanted || this.#isBehind()) && !signal.aborted) {
      this.#wanted = false;
      try {
        if (this.#hot) {
          // Everyone in the room has been told in the same moment.
          await pause(this.#random() * HOT_SPREAD_MS, signal);
        }
        const page = await this.#call('GET', this.#path(), undefined, signal);
        if (signal.aborted) {
          return;
        }
        if (this.#take(page)) {
          this.#behind = 0;
          this.#wanted ||= page.more === true;
        } else if (this.#isBehind()) {
          this.#behind++;
          await pause(backoff.next(), signal);
        }
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        if (!(error instanceof SluiceError && (error.passing || error.status === 429))) {
          this.close();
          this.#emit('refused', error);
          return;
        }
        this.#wanted = true;
        await pause(error.retryAfterMs + backoff.next(), signal).catch(() => {});
      }
    }
  }

  #path() {
    const query = new URLSearchParams({
      after: this.cursor,
      limit: String(EVENTS_AT_ONCE),
      ...(this.#pushed > this.#cursor && { upTo: String(this.#pushed) }),
      ...this.#query,
    });
    return `/api/rooms/${encodeURIComponent(this.roomId)}/events?${query}`;
  }

  /**
   * @param {{events?: object[], cursor?: string | number}} page
   * @returns {boolean} whether it went on
   */
  #take({ events = [], cursor = -1 }) {
    const reached = BigInt(cursor);
    if (reached <= this.#cursor) {
      return false;
    }
    this.#cursor = reached;
    if (events.length > 0) {
      this.#emit('events', { events, cursor: this.cursor });
    }
    return true;
  }

  /**
   * @param {string} type
   * @param {unknown} detail
   */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** One person's place in one room, and what is said in rooms. Its events are {@link PlaceEvents}. */
export class SluiceClient extends /** @type {new () => Teller<PlaceEvents>} */ (EventTarget) {
  /** @type {?Place} */ #place = null;
  /** @type {?Room} */ #room = null;
  #roomAt = -Infinity;
  /** @type {Connection} */ #connection = 'idle';

  /** Whether the server takes what is shown as a session; undefined until it has said. */
  #hasSession = /** @type {boolean | undefined} */ (undefined);

  /** Whether it is to be connected: while it follows a place or rooms. */
  #open = false;
  #following = false;
  /** @type {Set<RoomFeed>} */ #feeds = new Set();
  /** @type {Map<RoomFeed | 'person', Array<{unsubscribe: () => void}>>} */ #subscriptions = new Map();
  /** @type {?Client} */ #stomp = null;
  /** @type {Backoff} */ #backoff;
  #failures = 0;
  #liveSince = 0;
  #wasLive = false;
  /** Whether a session was replaced since the last connection stood. */
  #hasReplaced = false;
  /** What the clock said last, and by how much it was set back until then. */
  #clock = 0;
  #setBack = 0;
  #heard = 0;
  #personalNewsAt = 0;
  #askedAt = 0;
  /** Ends what is under way when the client is closed. */
  #closing = new AbortController();
  /** @type {Set<() => void>} */ #onIdle = new Set();
  /** @type {?ReturnType<typeof setTimeout>} */ #connectTimer = null;
  /** @type {?ReturnType<typeof setTimeout>} */ #retryTimer = null;
  /** Runs where the server said when to come again. @type {?ReturnType<typeof setTimeout>} */
  #returnTimer = null;
  /** While it polls. @type {?AbortController} */ #polling = null;

  /** @param {Options} [options] */
  constructor(options = {}) {
    super();
    const pageOrigin = globalThis.location?.origin;
    this.roomId = options.roomId;
    this.requestId = options.requestId;
    this.base = (options.base ?? pageOrigin ?? '').replace(/\/$/, '');
    this.session = options.session;
    this.crossOrigin = this.base !== pageOrigin;
    this.random = options.random ?? Math.random;
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.openSocket =
      options.openSocket ?? ((url) => new WebSocket(url, ['v12.stomp', 'v11.stomp', 'v10.stomp']));
    const { backoffBase = 3_000, backoffCap = 30_000 } = options;
    this.#backoff = new Backoff(backoffBase, backoffCap, this.random);
  }

  /** @returns {?Place} */
  get place() {
    return this.#place;
  }

  /** @returns {?Room} */
  get figures() {
    return this.#room;
  }

  /** @returns {Connection} */
  get connection() {
    return this.#connection;
  }

  /**
   * Enters the room, or finds the place that this person has in it. Tries again by itself while
   * Sluice can't be reached, and until the entry is certain. {@link close} ends that too.
   *
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<Place>}
   * @throws {SluiceError} 409 the room takes nobody, 403 the person is another session's, 429 the
   *   session has too many places
   */
  async enter({ signal } = {}) {
    const { signal: until, release } = whicheverFirst([signal, this.#closing.signal]);
    const backoff = this.#backoff.anew();
    let mayIssue = true;
    try {
      for (;;) {
        try {
          await this.#haveSession(until);
          const place = this.#learn(await this.#post('enter', until), true);
          if (place.status !== 'PENDING') {
            return place;
          }
          await pause(Math.max(500, backoff.next()), until);
          await this.#confirm(place, until);
          if (this.#place && this.#place.status !== 'PENDING') {
            return this.#place;
          }
        } catch (error) {
          if (!(error instanceof SluiceError)) {
            throw error;
          }
          if (error.status === 401 && mayIssue) {
            // A session of another time, which only the server can replace.
            mayIssue = false;
          } else if (error.passing) {
            if (!this.#open) {
              this.#connectionIs('lost');
            }
            await pause(error.retryAfterMs + backoff.next(), until);
          } else {
            throw error;
          }
        }
      }
    } finally {
      release();
      if (!this.#open) {
        this.#connectionIs('idle');
      }
    }
  }

  /**
   * Follows the place until it ends or {@link close} is called. Does nothing where it is followed
   * already or has ended.
   */
  follow() {
    if (this.#following || hasEnded(this.#place)) {
      return;
    }
    this.#following = true;
    this.#keepOpen();
    if (this.#liveSince && this.#stomp) {
      this.#subscribePerson(this.#stomp);
    }
  }

  /**
   * Follows what is said in a room, until the feed or this client is closed.
   *
   * @param {string} roomId
   * @param {RoomOptions} [options]
   * @returns {RoomFeed}
   */
  room(roomId, options = {}) {
    const feed = new RoomFeed(roomId, options, (...call) => this.#call(...call), this.random);
    this.#feeds.add(feed);
    feed.addEventListener('close', () => {
      this.#feeds.delete(feed);
      if (this.#unsubscribe(feed)) {
        this.#subscribeNextFeed();
      }
      if (!this.#following && this.#feeds.size === 0) {
        this.#idle();
      }
    });
    this.#keepOpen();
    if (this.#liveSince && this.#stomp) {
      this.#subscribeFeed(this.#stomp, feed);
    }
    return feed;
  }

  #keepOpen() {
    if (this.#open) {
      return;
    }
    this.#open = true;
    this.#failures = 0;
    this.#wasLive = false;
    this.#backoff.reset();
    this.#listenForWaking();
    this.#keepWatch();
    this.#connect();
    this.#connectionIs('connecting');
  }

  /**
   * Asks for the present state.
   *
   * @returns {Promise<Place>}
   * @throws {SluiceError} 404 unknown or forgotten
   */
  async status() {
    return this.#status();
  }

  /**
   * Renews an admitted place; while waiting it changes nothing.
   *
   * @returns {Promise<Place>} with a new pass
   * @throws {SluiceError} 409 the place has ended
   */
  async heartbeat() {
    return this.#learn(await this.#post('heartbeat'));
  }

  /**
   * Renews the place every `everyMs`, in hidden tabs too, until it ends or the returned function is
   * called.
   *
   * @param {number} [everyMs]
   * @returns {() => void}
   */
  keepAlive(everyMs = 10_000) {
    /** @type {?ReturnType<typeof setTimeout>} */
    let again = null;
    let beating = false;
    let stopped = false;
    const beat = async () => {
      if (beating || stopped) {
        return;
      }
      beating = true;
      if (again !== null) {
        clearTimeout(again);
        again = null;
      }
      try {
        await this.heartbeat();
      } catch (error) {
        if (stopped) {
          return;
        }
        if (error instanceof SluiceError && error.passing) {
          const soon = Math.min(everyMs, 1_000 + this.random() * 2_000);
          again = setTimeout(beat, Math.max(error.retryAfterMs, soon));
          this.#emit('unrenewed', error);
        } else {
          await this.#ask();
        }
      } finally {
        beating = false;
      }
    };
    const stopTicking = steadily(everyMs, beat);
    const stop = () => {
      stopped = true;
      stopTicking();
      if (again !== null) {
        clearTimeout(again);
      }
      this.removeEventListener('state', stopWhenEnded);
      this.removeEventListener('refused', stop);
    };
    const stopWhenEnded = () => {
      if (hasEnded(this.#place)) {
        stop();
      }
    };
    this.addEventListener('state', stopWhenEnded);
    this.addEventListener('refused', stop);
    beat();
    return stop;
  }

  /**
   * Gives an admitted place back, done.
   *
   * @returns {Promise<Place>}
   * @throws {SluiceError} 409 not admitted
   */
  async complete() {
    return this.#learn(await this.#post('complete'));
  }

  /**
   * Gives the place up, waiting or admitted.
   *
   * @returns {Promise<Place>}
   */
  async leave() {
    return this.#learn(await this.#post('leave'));
  }

  /** Stops entering and following, the place and all rooms. The place itself is kept. */
  close() {
    this.#closing.abort();
    this.#closing = new AbortController();
    this.#following = false;
    this.#disconnect();
    for (const feed of [...this.#feeds]) {
      feed.close();
    }
    this.#idle();
  }

  /** Stops following the place alone. */
  #unfollow() {
    this.#following = false;
    if (this.#feeds.size === 0) {
      this.#idle();
    } else {
      this.#unsubscribe('person');
    }
  }

  /** Nothing is followed any more: no connection, no polls, no timers. */
  #idle() {
    this.#open = false;
    for (const stop of this.#onIdle) {
      stop();
    }
    this.#onIdle.clear();
    this.#disconnect();
    this.#connectionIs('idle');
  }

  #disconnect() {
    this.#stopPolling();
    this.#clearRetry();
    this.#clearReturn();
    this.#hangUp();
  }

  // Connection

  #connect() {
    if (!this.#open) {
      return;
    }
    this.#clearRetry();
    this.#hangUp();
    const url = `${this.base.replace(/^http/, 'ws')}/ws`;
    const stomp = new Client({
      reconnectDelay: 0,
      heartbeatIncoming: HEARTBEAT_MS,
      heartbeatOutgoing: HEARTBEAT_MS,
      // A worker's timers aren't slowed down in a hidden tab.
      heartbeatStrategy: /** @type {any} */ ('worker'),
      discardWebsocketOnCommFailure: true,
      connectHeaders: this.session ? { 'Sluice-Session': this.session } : {},
      webSocketFactory: () => {
        const socket = this.openSocket(url);
        socket.addEventListener('message', () => {
          if (stomp === this.#stomp) {
            this.#heard = this.#now();
          }
        });
        return socket;
      },
    });
    stomp.onConnect = () => this.#connected(stomp);
    stomp.onStompError = ({ body }) => {
      if (stomp !== this.#stomp) {
        return;
      }
      if (!this.#following && parse(body)?.status === 401) {
        this.#replaceSession();
      } else {
        // The reason is better learnt by a plain call: it may be that this place can't be followed.
        this.#ask();
      }
    };
    stomp.onWebSocketClose = () => this.#dropped(stomp);
    // Not every platform says too that a socket which failed is closed.
    stomp.onWebSocketError = () => this.#dropped(stomp);
    this.#stomp = stomp;
    this.#heard = this.#now();
    this.#connectTimer = setTimeout(() => this.#abandon(), CONNECT_TIMEOUT_MS);
    stomp.activate();
  }

  /** @param {Client} stomp */
  #connected(stomp) {
    if (stomp !== this.#stomp) {
      return;
    }
    this.#clearConnect();
    this.#liveSince = this.#now();
    this.#personalNewsAt = this.#liveSince;
    this.#roomAt = -Infinity;
    this.#wasLive = true;
    this.#hasReplaced = false;
    this.#stopPolling();
    if (this.#following) {
      this.#subscribePerson(stomp);
    }
    this.#subscribe(stomp, '/topic/server', {}, (body) => this.#told(body));
    for (const feed of this.#feeds) {
      this.#subscribeFeed(stomp, feed);
    }
    this.#connectionIs('live');
  }

  /** @param {Client} stomp */
  #subscribePerson(stomp) {
    const room = { room: /** @type {string} */ (this.roomId) };
    const personal = (/** @type {any} */ body) => {
      this.#personalNewsAt = this.#now();
      this.#learn(body);
    };
    this.#subscriptions.set('person', [
      this.#subscribe(stomp, `/topic/admission/${this.requestId}`, room, personal),
      this.#subscribe(stomp, `/topic/timeout/${this.requestId}`, room, personal),
      this.#subscribe(stomp, `/topic/rank/${this.requestId}`, room, personal),
      this.#subscribe(stomp, `/topic/stats/${this.roomId}`, {}, (body) => this.#learnRoom(body)),
    ]);
  }

  /**
   * A room for which there is no subscription left is asked for instead.
   *
   * @param {Client} stomp
   * @param {RoomFeed} feed
   */
  #subscribeFeed(stomp, feed) {
    const rooms = this.#subscriptions.size - (this.#subscriptions.has('person') ? 1 : 0);
    if (rooms >= ROOMS_TOLD_AT_ONCE) {
      feed.refresh();
      return;
    }
    const take = (/** @type {any} */ body) => feed.told(body);
    this.#subscriptions.set(feed, [this.#subscribe(stomp, `/topic/room/${feed.roomId}`, {}, take)]);
  }

  /** One has ended; the room that has waited longest for its subscription gets it. */
  #subscribeNextFeed() {
    const next = [...this.#feeds].find((feed) => !this.#subscriptions.has(feed));
    if (next && this.#liveSince && this.#stomp) {
      this.#subscribeFeed(this.#stomp, next);
    }
  }

  /**
   * @param {RoomFeed | 'person'} of
   * @returns {boolean} whether it was subscribed
   */
  #unsubscribe(of) {
    const subscriptions = this.#subscriptions.get(of) ?? [];
    if (this.#liveSince) {
      for (const subscription of subscriptions) {
        subscription.unsubscribe();
      }
    }
    return this.#subscriptions.delete(of);
  }

  /**
   * @param {Client} stomp
   * @param {string} destination
   * @param {Record<string, string>} headers
   * @param {(body: any) => void} take
   */
  #subscribe(stomp, destination, headers, take) {
    return stomp.subscribe(
      destination,
      (/** @type {{body: string}} */ message) => {
        if (stomp === this.#stomp) {
          const body = parse(message.body);
          if (body) {
            take(body);
          }
        }
      },
      headers,
    );
  }

  /** @param {any} body of `/topic/server` */
  #told(body) {
    if (body.type !== 'RECONNECT_SOON' || this.#returnTimer !== null) {
      return;
    }
    const asked = Math.min(Math.max(0, Number(body.delayMs) || 0), LATEST_RETURN_MS);
    // Servers that send everyone on at once aren't hammered either.
    const delay = this.#hasLasted() ? asked : Math.max(asked, this.#backoff.next());
    this.#returnTimer = setTimeout(() => {
      this.#returnTimer = null;
      this.#connect();
      this.#connectionIs('reconnecting');
    }, delay);
  }

  /** @param {Client} stomp */
  #dropped(stomp) {
    if (stomp !== this.#stomp) {
      return;
    }
    const lasted = this.#hangUp();
    if (this.#returnTimer !== null) {
      // It connects at the moment that the server chose.
      this.#connectionIs('reconnecting');
      return;
    }
    const wasPolling = this.#polling !== null;
    this.#retryTimer = setTimeout(() => this.#connect(), this.#backoff.next());
    if (!lasted && ++this.#failures >= FAILURES_BEFORE_POLLING) {
      this.#startPolling();
    }
    if (!wasPolling) {
      this.#connectionIs(this.#wasLive ? 'reconnecting' : 'connecting');
    }
  }

  /**
   * Ends the present connection, if any. One that lasted makes up for the failures before it.
   *
   * @returns {boolean} whether it lasted
   */
  #hangUp() {
    const stomp = this.#stomp;
    this.#stomp = null;
    this.#clearConnect();
    this.#subscriptions.clear();
    const lasted = this.#hasLasted();
    if (lasted) {
      this.#failures = 0;
      this.#backoff.reset();
    }
    this.#liveSince = 0;
    stomp?.deactivate({ force: true });
    return lasted;
  }

  #hasLasted() {
    return this.#liveSince > 0 && this.#now() - this.#liveSince >= STABLE_MS;
  }

  #keepWatch() {
    const timer = setInterval(() => {
      this.#refreshUnsubscribed();
      const now = this.#now();
      if (this.#liveSince && now - this.#heard > SILENCE_MS) {
        this.#abandon();
      } else if (
        this.#liveSince &&
        this.#following &&
        this.#place?.status === 'WAITING' &&
        now - this.#personalNewsAt > QUIET_BEFORE_ASKING_MS
      ) {
        this.#personalNewsAt = now;
        this.#ask();
      }
    }, CHECK_MS);
    this.#onIdle.add(() => clearInterval(timer));
  }

  #refreshUnsubscribed() {
    if (this.#liveSince && this.#feeds.size > ROOMS_TOLD_AT_ONCE) {
      for (const feed of this.#feeds) {
        if (!this.#subscriptions.has(feed)) {
          feed.refresh();
        }
      }
    }
  }

  /** Gives up a connection that only looks alive. */
  #abandon() {
    if (this.#stomp) {
      this.#dropped(this.#stomp);
    }
  }

  /** A tab shown again, a laptop opened, a network back: no reason to sit out a long delay. */
  #listenForWaking() {
    const { document, window } = globalThis;
    if (!document || !window) {
      return;
    }
    const wake = () => {
      if (document.visibilityState === 'hidden') {
        return;
      }
      if (this.#liveSince && this.#now() - this.#heard > SILENCE_MS) {
        this.#abandon();
      }
      if (this.#retryTimer !== null) {
        this.#clearRetry();
        this.#retryTimer = setTimeout(() => this.#connect(), this.random() * 1_000);
      }
    };
    // A browser may keep a page that was left for the way back, with its connection.
    const leave = () => this.#disconnect();
    const comeBack = (/** @type {PageTransitionEvent} */ { persisted }) => {
      if (persisted) {
        this.#connect();
        if (this.#following) {
          this.#ask();
        }
        this.#connectionIs('reconnecting');
      }
    };
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    window.addEventListener('pagehide', leave);
    window.addEventListener('pageshow', comeBack);
    this.#onIdle.add(() => {
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('pageshow', comeBack);
    });
  }

  #clearConnect() {
    if (this.#connectTimer !== null) {
      clearTimeout(this.#connectTimer);
      this.#connectTimer = null;
    }
  }

  #clearRetry() {
    if (this.#retryTimer !== null) {
      clearTimeout(this.#retryTimer);
      this.#retryTimer = null;
    }
  }

  #clearReturn() {
    if (this.#returnTimer !== null) {
      clearTimeout(this.#returnTimer);
      this.#returnTimer = null;
    }
  }

  // Polling

  #startPolling() {
    if (!this.#polling) {
      this.#polling = new AbortController();
      this.#poll(this.#polling.signal);
    }
  }

  #stopPolling() {
    this.#polling?.abort();
    this.#polling = null;
  }

  /** @param {AbortSignal} signal */
  async #poll(signal) {
    const backoff = this.#backoff.anew();
    while (!signal.aborted) {
      let delay;
      for (const feed of this.#feeds) {
        feed.refresh();
      }
      try {
        const place = this.#following ? await this.#status(signal) : null;
        const interval = place?.recommendedPollingInterval ?? DEFAULT_POLLING_MS;
        delay = interval * (1 + this.random() / 10);
        backoff.reset();
        if (!signal.aborted) {
          this.#connectionIs('polling');
        }
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        if (this.#isRefusal(error)) {
          this.#refused(error);
          delay = DEFAULT_POLLING_MS;
        } else {
          this.#connectionIs('lost');
          const asked = error instanceof SluiceError ? error.retryAfterMs : 0;
          delay = asked + backoff.next();
        }
      }
      await pause(delay, signal).catch(() => {});
    }
  }

  /** Asks for the present state because what is known may not be it; not more often than needed. */
  async #ask() {
    const now = this.#now();
    if (!this.requestId || now - this.#askedAt < BETWEEN_QUESTIONS_MS) {
      return;
    }
    this.#askedAt = now;
    const { signal } = this.#closing;
    try {
      await this.#status(signal);
    } catch (error) {
      if (this.#isRefusal(error)) {
        this.#refused(error);
      }
      // Otherwise whatever comes next, push or poll, tells.
    }
  }

  /**
   * @param {unknown} error
   * @returns {error is SluiceError}
   */
  #isRefusal(error) {
    return error instanceof SluiceError && [401, 403, 404].includes(error.status);
  }

  /** @param {SluiceError} error */
  #refused(error) {
    this.#unfollow();
    this.#emit('refused', error);
  }

  // What is known

  /**
   * @param {any} body
   * @param {boolean} [anew] whether it answers an `enter`, which may begin another place
   * @returns {Place}
   */
  #learn(body, anew = false) {
    if ((body.roomId !== undefined && body.roomId !== this.roomId) || !(body.status in STEPS)) {
      return /** @type {Place} */ (this.#place);
    }
    const before = this.#place;
    const startsOver =
      anew && before?.ticket !== undefined && body.ticket !== undefined && body.ticket < before.ticket;
    const { verdict, place } = merge(startsOver ? null : before, body);
    if (verdict === 'ask') {
      this.#ask();
    }
    if (verdict !== 'news') {
      return place;
    }
    this.#place = place;
    const isAnother =
      before?.ticket !== undefined && place.ticket !== undefined && before.ticket !== place.ticket;
    const isNew = before?.status !== place.status || isAnother;
    if (isNew) {
      this.#emit('state', place);
    }
    if (place.status === 'WAITING' && (isNew || !sameFigures(before, place))) {
      this.#emit('rank', place);
    } else if (place.status === 'ADMITTED' && isNew) {
      this.#emit('admitted', place);
    } else if (place.status === 'ADMITTED' && before?.expiresAt !== place.expiresAt) {
      this.#emit('renewed', place);
    } else if (place.status === 'EXPIRED' && isNew) {
      this.#emit('timeout', place);
    }
    if (hasEnded(place) && this.#following) {
      this.#unfollow();
    }
    return place;
  }

  /** Milliseconds that never go back, whatever happens to the clock. */
  #now() {
    const clock = Date.now();
    this.#setBack += Math.max(0, this.#clock - clock);
    this.#clock = clock;
    return clock + this.#setBack;
  }

  /** @param {any} body of a stats destination */
  #learnRoom(body) {
    // Crossing bodies of one connection; another server's clock may differ, and a clock be set back.
    const at = Date.parse(body.timestamp);
    const behind = this.#roomAt - at;
    if (behind > 0 && behind <= CROSSING_MS) {
      return;
    }
    this.#roomAt = at;
    this.#room = body;
    this.#emit('room', body);
  }

  /**
   * To be said last: who is told may close this client, or follow something else.
   *
   * @param {Connection} connection
   */
  #connectionIs(connection) {
    if (this.#connection !== connection) {
      this.#connection = connection;
      this.#emit('connection', connection);
    }
  }

  /**
   * @param {string} type
   * @param {unknown} detail
   */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  // Calls

  /**
   * Has a session before anything is entered. The server would give one with the answer to that; but
   * a place belongs to its session, and were that answer lost, so were the place.
   *
   * @param {AbortSignal} signal
   */
  async #haveSession(signal) {
    if (this.#hasSession || (this.session && this.#hasSession === undefined)) {
      return;
    }
    // Of tabs that come at the same time the first gets the session, and the others find it.
    const locks = this.crossOrigin ? undefined : globalThis.navigator?.locks;
    const get = () => this.#getSession(signal);
    await (locks ? locks.request('sluice:session', { signal }, get) : get());
  }

  /**
   * Without a place any session does, but the server connects nobody with one that it doesn't know.
   * It is replaced once, and the next attempt to connect shows the new one.
   */
  async #replaceSession() {
    if (this.#hasReplaced) {
      return;
    }
    this.#hasReplaced = true;
    // A cookie is looked at again: another tab may have had it replaced, and entered since.
    this.#hasSession = this.session ? false : undefined;
    try {
      await this.#haveSession(this.#closing.signal);
    } catch (error) {
      // Otherwise the next refusal is another occasion.
      this.#hasReplaced = error instanceof SluiceError && !error.passing;
    }
  }

  /** @param {AbortSignal} signal */
  async #getSession(signal) {
    if (!this.session) {
      const isSomeone = this.roomId !== undefined && this.requestId !== undefined;
      const path = isSomeone ? this.#statusPath() : '/api/admission/status';
      try {
        // Without a person the answer is a refusal too, but not 401 where there is a session.
        await this.#call('GET', path, undefined, signal);
      } catch (error) {
        if (!(error instanceof SluiceError) || error.passing) {
          throw error;
        }
      }
    }
    if (this.#hasSession === false) {
      await this.#call('POST', '/api/sessions/issue', undefined, signal);
    }
  }

  /**
   * @param {Place} pending
   * @param {AbortSignal} [signal]
   */
  async #confirm(pending, signal) {
    if (pending.receipt?.offset == null) {
      return;
    }
    const { partition, offset } = pending.receipt;
    const path = `${this.#statusPath()}&partition=${partition}&offset=${offset}`;
    try {
      this.#learn(await this.#call('GET', path, undefined, signal));
    } catch (error) {
      if (!(error instanceof SluiceError && error.status === 404)) {
        throw error;
      }
    }
  }

  /** @returns {{roomId: string, requestId: string}} */
  #person() {
    const { roomId, requestId } = this;
    if (roomId === undefined || requestId === undefined) {
      throw new TypeError('a place needs a roomId and a requestId');
    }
    return { roomId, requestId };
  }

  /** @param {AbortSignal} [signal] */
  async #status(signal) {
    return this.#learn(await this.#call('GET', this.#statusPath(), undefined, signal));
  }

  #statusPath() {
    return `/api/admission/status?${new URLSearchParams(this.#person())}`;
  }

  /**
   * @param {'enter' | 'heartbeat' | 'complete' | 'leave'} action
   * @param {AbortSignal} [signal]
   */
  async #post(action, signal) {
    return this.#call('POST', `/api/admission/${action}`, this.#person(), signal);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async #call(method, path, body, signal) {
    /** @type {Record<string, string>} */
    const headers = { Accept: 'application/json, application/problem+json' };
    if (body) {
      headers['Content-Type'] = 'application/json';
    }
    if (this.session) {
      headers['Sluice-Session'] = this.session;
    }
    const { signal: until, release } = whicheverFirst([signal], REQUEST_TIMEOUT_MS);
    let response;
    let answer;
    try {
      response = await this.fetch(this.base + path, {
        method,
        headers,
        body: body && JSON.stringify(body),
        cache: 'no-store',
        signal: until,
      });
      answer = parse(await response.text());
    } catch (error) {
      if (signal?.aborted) {
        throw error;
      }
      throw new SluiceError(0);
    } finally {
      release();
    }
    if (response.status === 401) {
      this.#hasSession = false;
    } else if (response.ok || response.status === 403 || response.status === 404) {
      this.#hasSession = true;
    }
    if (!response.ok) {
      const seconds = Number(response.headers.get('Retry-After')) || 0;
      throw new SluiceError(response.status, answer ?? {}, seconds * 1_000);
    }
    if (!answer) {
      // A proxy's page, or half an answer: as good as none.
      throw new SluiceError(0);
    }
    if ((this.crossOrigin || this.session) && answer.sessionId) {
      this.session = answer.sessionId;
    }
    return answer;
  }
}

/**
 * @param {Place} a
 * @param {Place} b
 */
function sameFigures(a, b) {
  return (
    a.rank === b.rank &&
    a.totalWaiting === b.totalWaiting &&
    a.estimatedWaitSeconds === b.estimatedWaitSeconds
  );
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * A signal that is aborted with the first of these, or after a time; what `AbortSignal.any` and
 * `timeout` do, for browsers without them too.
 *
 * @param {Array<AbortSignal | undefined>} signals
 * @param {number} [ms]
 * @returns {{signal: AbortSignal, release: () => void}}
 */
function whicheverFirst(signals, ms) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = ms === undefined ? undefined : setTimeout(stop, ms);
  for (const signal of signals) {
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) {
      stop();
    }
  }
  const release = () => {
    clearTimeout(timer);
    for (const signal of signals) {
      signal?.removeEventListener('abort', stop);
    }
  };
  return { signal: controller.signal, release };
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted) {
        reject(new DOMException('ended', 'AbortError'));
      } else {
        resolve();
      }
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) {
      done();
    }
  });
}

/**
 * Calls `tick` every `everyMs`, from a worker where there is one, since a hidden tab's own timers
 * may be slowed down to once a minute.
 *
 * @param {number} everyMs
 * @param {() => void} tick
 * @returns {() => void} stops it
 */
function steadily(everyMs, tick) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** @type {Worker | undefined} */
  let worker;
  const useTimer = () => {
    timer ??= setInterval(tick, everyMs);
  };
  try {
    const code = `setInterval(() => postMessage(0), ${everyMs})`;
    const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.onmessage = tick;
    // A policy of the site that forbids such workers shows here, or below, by the browser.
    worker.onerror = useTimer;
  } catch {
    useTimer();
  }
  return () => {
    worker?.terminate();
    clearInterval(timer);
  };
}
