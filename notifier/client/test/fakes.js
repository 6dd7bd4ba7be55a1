export const waiting = (rank, offset, more = {}) => ({
  status: 'WAITING',
  roomId: 'r',
  requestId: 'u',
  rank,
  totalWaiting: 100,
  recommendedPollingInterval: 5_000,
  version: `3:${offset}:0`,
  ...more,
});
export const admitted = (offset, more = {}) => ({
  status: 'ADMITTED',
  roomId: 'r',
  requestId: 'u',
  ticket: 7,
  expiresAt: '2026-01-01T00:00:30Z',
  pass: 'p',
  version: `3:${offset}:0`,
  ...more,
});
export const ok = (body, status = 200) => ({ status, body });

/** A server to talk to without a network: sockets that speak STOMP, and answers to calls. */
export class FakeServer {
  /** Sockets opened so far, the oldest first. */
  sockets = [];
  /** Calls received so far, as `METHOD /path`. */
  calls = [];
  accepts = true;
  /** Whether it closes each connection as soon as it stands. */
  closesAtOnce = false;
  /** Whether it connects whoever shows this session. */
  knows = () => true;
  /** Whether it still says anything on open sockets. */
  mute = false;
  /** @type {Map<string, Array<() => {status: number, body?: object, headers?: object}>>} */
  #answers = new Map();

  /** Answers calls of a path; the last answer is given again for ever. */
  on(call, ...answers) {
    this.#answers.set(
      call,
      answers.map((answer) => (typeof answer === 'function' ? answer : () => answer)),
    );
  }

  fetch = async (url, { method, headers }) => {
    const { pathname, search } = new URL(url);
    const call = `${method} ${pathname}`;
    this.calls.push({ call, search, headers, at: Date.now() });
    const answers = this.#answers.get(call);
    if (!answers) {
      throw new TypeError('network');
    }
    const { status, body, headers: sent } = (answers.length > 1 ? answers.shift() : answers[0])();
    return new Response(JSON.stringify(body ?? {}), { status, headers: sent });
  };

  openSocket = (url) => {
    const socket = new FakeSocket(this, url);
    this.sockets.push(socket);
    return socket;
  };

  /** Options of a client for a person here. */
  get person() {
    return {
      roomId: 'r',
      requestId: 'u',
      base: 'http://sluice.test',
      fetch: this.fetch,
      openSocket: this.openSocket,
      random: () => 0.5,
    };
  }

  called(call) {
    return this.calls.filter((made) => made.call === call);
  }

  get openSockets() {
    return this.sockets.filter((socket) => socket.readyState === 1);
  }

  get last() {
    return this.sockets.at(-1);
  }

  push(destination, body) {
    let delivered = 0;
    for (const socket of this.openSockets) {
      delivered += socket.deliver(destination, body);
    }
    return delivered;
  }
}

class FakeSocket extends EventTarget {
  readyState = 0;
  openedAt = Date.now();
  subscriptions = new Map();
  connectHeaders = null;

  constructor(server, url) {
    super();
    this.server = server;
    this.url = url;
    setImmediate(() => {
      if (this.readyState !== 0) {
        return;
      }
      if (server.accepts) {
        this.readyState = 1;
        this.onopen?.({});
      } else {
        this.drop(1006);
      }
    });
  }

  send(data) {
    for (const chunk of String(data).split('\0')) {
      const frame = chunk.replace(/^\n+/, '');
      if (!frame) {
        continue;
      }
      const [command, ...lines] = frame.split('\n\n')[0].split('\n');
      const headers = Object.fromEntries(lines.map((line) => line.split(/:(.*)/s).slice(0, 2)));
      if (command === 'CONNECT') {
        this.connectHeaders = headers;
        if (!this.server.knows(headers['Sluice-Session'])) {
          this.say('ERROR\nmessage:Unauthorized\n\n{"title":"Unauthorized","status":401}\0');
          this.close();
          return;
        }
        if (!this.server.mute) {
          this.say('CONNECTED\nversion:1.2\nheart-beat:20000,20000\n\n\0');
        }
        if (this.server.closesAtOnce) {
          setImmediate(() => this.drop(1011));
        }
      } else if (command === 'SUBSCRIBE') {
        this.subscriptions.set(headers.id, headers);
      } else if (command === 'UNSUBSCRIBE') {
        this.subscriptions.delete(headers.id);
      }
    }
  }

  say(text) {
    const event = new MessageEvent('message', { data: text });
    this.onmessage?.(event);
    this.dispatchEvent(event);
  }

  deliver(destination, body) {
    let delivered = 0;
    for (const { id, destination: wanted } of this.subscriptions.values()) {
      if (wanted === destination) {
        delivered++;
        this.say(
          `MESSAGE\ndestination:${destination}\nsubscription:${id}\nmessage-id:1\n\n${JSON.stringify(body)}\0`,
        );
      }
    }
    return delivered;
  }

  heartbeat() {
    this.say('\n');
  }

  close() {
    if (this.readyState < 2) {
      this.readyState = 2;
      setImmediate(() => this.drop(1000));
    }
  }

  /** Fails, and never says that it is closed. */
  fail() {
    this.readyState = 3;
    this.onerror?.({});
  }

  drop(code) {
    if (this.readyState !== 3) {
      this.readyState = 3;
      this.onclose?.({ code, reason: '', wasClean: code === 1000 });
    }
  }
}

/**
 * Writes down what a client tells.
 *
 * @returns a function that gives the details of all events of a type
 */
export function listen(client) {
  const events = [];
  const types = ['state', 'rank', 'admitted', 'renewed', 'timeout', 'room', 'connection', 'refused'];
  for (const type of types) {
    client.addEventListener(type, ({ detail }) => events.push([type, detail]));
  }
  return (type) => events.filter(([name]) => name === type).map(([, detail]) => detail);
}

/** @returns the timers that were set from now on and are neither over nor cleared */
export function pendingTimers() {
  const pending = new Set();
  for (const kind of ['Timeout', 'Interval']) {
    const set = globalThis[`set${kind}`];
    const clear = globalThis[`clear${kind}`];
    globalThis[`set${kind}`] = (run, ms) => {
      const timer = set(() => {
        if (kind === 'Timeout') {
          pending.delete(timer);
        }
        run();
      }, ms);
      pending.add(timer);
      return timer;
    };
    globalThis[`clear${kind}`] = (timer) => {
      pending.delete(timer);
      clear(timer);
    };
  }
  return pending;
}

/** Lets everything that is due without time passing happen. */
export async function settle() {
  for (let i = 0; i < 10; i++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets time pass in steps small enough for what follows from one timer to set the next. */
export async function pass(timers, ms, step = 250) {
  await settle();
  for (let done = 0; done < ms; done += step) {
    timers.tick(Math.min(step, ms - done));
    await settle();
  }
}
