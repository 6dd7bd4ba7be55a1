/**
 * Orders versions of one person: by offset, then index. A missing one is older than any.
 *
 * @param {string} [a]
 * @param {string} [b]
 * @returns {number} negative when `a` is older
 */
export function compareVersions(a?: string, b?: string): number;
/**
 * Joins what is known of a place with a body that just came, in whatever order bodies come.
 *
 * @param {?Place} known
 * @param {Partial<Place> & {status: Status}} news
 * @returns {{verdict: 'news' | 'stale' | 'ask', place: Place}} `ask`: it speaks of another place
 *   than the known one, and doesn't say which; the server has to be asked
 */
export function merge(known: Place | null, news: Partial<Place> & {
    status: Status;
}): {
    verdict: "news" | "stale" | "ask";
    place: Place;
};
export function hasEnded(place: Place | null): boolean;
/** A refusal or failure of a call, with the server's own words where it gave some. */
export class SluiceError extends Error {
    /**
     * @param {number} status HTTP status; 0 when no answer came
     * @param {{type?: string, title?: string, detail?: string}} [problem] as in RFC 9457
     * @param {number} [retryAfterMs] how long the server asks to wait
     */
    constructor(status: number, problem?: {
        type?: string;
        title?: string;
        detail?: string;
    }, retryAfterMs?: number);
    status: number;
    problem: {
        type?: string;
        title?: string;
        detail?: string;
    };
    retryAfterMs: number;
    /** Whether the same call may succeed later without anyone doing anything. */
    get passing(): boolean;
}
/** Exponential backoff with full jitter: each delay is random between 0 and a ceiling that doubles. */
export class Backoff {
    /**
     * @param {number} base the first ceiling, milliseconds
     * @param {number} cap the highest ceiling, milliseconds
     * @param {() => number} [random]
     */
    constructor(base: number, cap: number, random?: () => number);
    base: number;
    cap: number;
    random: () => number;
    next(): number;
    reset(): void;
    /** Another one like it, at its beginning. */
    anew(): Backoff;
    #private;
}
declare const RoomFeed_base: new () => Teller<RoomEvents>;
/**
 * What is said in one room, in order and without gaps as far as Sluice still has it. A push says only
 * how far the room has got; the events themselves are fetched, one fetch at a time, so that whatever
 * was said meanwhile comes in one go. Its events are {@link RoomEvents}.
 */
export class RoomFeed extends RoomFeed_base {
    /**
     * @param {string} roomId
     * @param {RoomOptions} options
     * @param {(method: string, path: string, body: undefined, signal: AbortSignal) => Promise<any>} call
     * @param {() => number} random
     */
    constructor(roomId: string, { after, country, app }: RoomOptions, call: (method: string, path: string, body: undefined, signal: AbortSignal) => Promise<any>, random: () => number);
    roomId: string;
    /** Of the last event that came, as text. @returns {string} */
    get cursor(): string;
    /** Whether the room is hot, and pushes are few. @returns {boolean} */
    get hot(): boolean;
    get closed(): boolean;
    /** Ends it. */
    close(): void;
    /**
     * Takes a body of `/topic/room/{roomId}`.
     *
     * @param {{roomId: string, cursor: string, hot: boolean}} body a negative cursor: not known
     */
    told(body: {
        roomId: string;
        cursor: string;
        hot: boolean;
    }): void;
    /** Fetches what may be new. */
    refresh(): void;
    #private;
}
declare const SluiceClient_base: new () => Teller<PlaceEvents>;
/** One person's place in one room, and what is said in rooms. Its events are {@link PlaceEvents}. */
export class SluiceClient extends SluiceClient_base {
    /** @param {Options} [options] */
    constructor(options?: Options);
    roomId: string | undefined;
    requestId: string | undefined;
    base: string;
    session: string | undefined;
    crossOrigin: boolean;
    random: () => number;
    fetch: typeof fetch;
    openSocket: (url: string) => WebSocket;
    /** @returns {?Place} */
    get place(): Place | null;
    /** @returns {?Room} */
    get figures(): Room | null;
    /** @returns {Connection} */
    get connection(): Connection;
    /**
     * Enters the room, or finds the place that this person has in it. Tries again by itself while
     * Sluice can't be reached, and until the entry is certain. {@link close} ends that too.
     *
     * @param {{signal?: AbortSignal}} [options]
     * @returns {Promise<Place>}
     * @throws {SluiceError} 409 the room takes nobody, 403 the person is another session's, 429 the
     *   session has too many places
     */
    enter({ signal }?: {
        signal?: AbortSignal;
    }): Promise<Place>;
    /**
     * Follows the place until it ends or {@link close} is called. Does nothing where it is followed
     * already or has ended.
     */
    follow(): void;
    /**
     * Follows what is said in a room, until the feed or this client is closed.
     *
     * @param {string} roomId
     * @param {RoomOptions} [options]
     * @returns {RoomFeed}
     */
    room(roomId: string, options?: RoomOptions): RoomFeed;
    /**
     * Asks for the present state.
     *
     * @returns {Promise<Place>}
     * @throws {SluiceError} 404 unknown or forgotten
     */
    status(): Promise<Place>;
    /**
     * Renews an admitted place; while waiting it changes nothing.
     *
     * @returns {Promise<Place>} with a new pass
     * @throws {SluiceError} 409 the place has ended
     */
    heartbeat(): Promise<Place>;
    /**
     * Renews the place every `everyMs`, in hidden tabs too, until it ends or the returned function is
     * called.
     *
     * @param {number} [everyMs]
     * @returns {() => void}
     */
    keepAlive(everyMs?: number): () => void;
    /**
     * Gives an admitted place back, done.
     *
     * @returns {Promise<Place>}
     * @throws {SluiceError} 409 not admitted
     */
    complete(): Promise<Place>;
    /**
     * Gives the place up, waiting or admitted.
     *
     * @returns {Promise<Place>}
     */
    leave(): Promise<Place>;
    /** Stops entering and following, the place and all rooms. The place itself is kept. */
    close(): void;
    #private;
}
export type Status = "PENDING" | "WAITING" | "ADMITTED" | "COMPLETED" | "LEFT" | "EXPIRED";
/**
 * what is known of a person's place
 */
export type Place = {
    status: Status;
    roomId: string;
    requestId: string;
    /**
     * place in the order of arrival; another ticket is another place
     */
    ticket?: number | undefined;
    /**
     * 1 is next; 0 once admitted
     */
    rank?: number | undefined;
    totalWaiting?: number | undefined;
    /**
     * null while unknown
     */
    estimatedWaitSeconds?: number | null | undefined;
    /**
     * milliseconds
     */
    recommendedPollingInterval?: number | undefined;
    /**
     * when an ADMITTED place ends unless renewed
     */
    expiresAt?: string | undefined;
    /**
     * signed proof of admission
     */
    pass?: string | undefined;
    /**
     * why EXPIRED: TIMEOUT, MAX_SESSION or CLOSED
     */
    reason?: string | undefined;
    /**
     * `partition:offset:index`
     */
    version?: string | undefined;
    /**
     * proof of arrival; without an
     * offset while it isn't known whether the entry arrived
     */
    receipt?: {
        partition: number;
        offset: number | null;
        at: string | null;
    } | undefined;
};
export type Room = {
    state: "OPEN" | "PAUSED" | "DRAINING" | "CLOSED";
    totalWaiting: number;
    active: number;
    capacity: number;
};
export type RoomOptions = {
    /**
     * cursor of the last event known already; without it all that is kept comes
     */
    after?: string | undefined;
    /**
     * of the reader, two capital letters; counted with each fetch
     */
    country?: string | undefined;
    /**
     * of the reader; counted with each fetch
     */
    app?: string | undefined;
};
/**
 * `reconnecting`: news stopped a moment ago; `polling`: news comes by asking; `lost`: not even
 * that works. In each of them the place is kept.
 */
export type Connection = "idle" | "connecting" | "live" | "reconnecting" | "polling" | "lost";
export type Options = {
    /**
     * to take a place in
     */
    roomId?: string | undefined;
    /**
     * names the person; the same one finds the same place again. Both can
     * be left out by whoever only follows what is said in rooms
     */
    requestId?: string | undefined;
    /**
     * origin of Sluice, where it isn't the page's own
     */
    base?: string | undefined;
    /**
     * sent as a header, where there is no cookie
     */
    session?: string | undefined;
    /**
     * ceiling of the first retry's delay in milliseconds
     */
    backoffBase?: number | undefined;
    /**
     * ceiling of every retry's delay in milliseconds
     */
    backoffCap?: number | undefined;
    fetch?: typeof fetch | undefined;
    openSocket?: ((url: string) => WebSocket) | undefined;
    /**
     * in [0, 1)
     */
    random?: (() => number) | undefined;
};
/**
 * what each event of a {@link SluiceClient} has in its `detail`
 */
export type PlaceEvents = {
    /**
     * whose status changed
     */
    state: Place;
    /**
     * a waiting one that moved
     */
    rank: Place;
    admitted: Place;
    /**
     * an admitted one that lasts longer
     */
    renewed: Place;
    /**
     * renewing failed and is tried again
     */
    unrenewed: SluiceError;
    timeout: Place;
    room: Room;
    connection: Connection;
    /**
     * nobody here may follow this place, or it is no longer known
     */
    refused: SluiceError;
};
/**
 * what each event of a {@link RoomFeed} has in its `detail`
 */
export type RoomEvents = {
    /**
     * oldest first, and the cursor behind them
     */
    events: {
        events: any[];
        cursor: string;
    };
    /**
     * whether the room is hot, when that changes
     */
    hot: boolean;
    /**
     * this room can't be fetched; the feed has ended
     */
    refused: SluiceError;
    close: null;
};
/**
 * an EventTarget whose listeners know what they are told
 */
export type Teller<E> = Omit<EventTarget, "addEventListener" | "removeEventListener"> & {
    addEventListener<T extends keyof E & string>(type: T, listener: (event: CustomEvent<E[T]>) => void, options?: boolean | AddEventListenerOptions): void;
    removeEventListener<T extends keyof E & string>(type: T, listener: (event: CustomEvent<E[T]>) => void, options?: boolean | EventListenerOptions): void;
};
export {};
