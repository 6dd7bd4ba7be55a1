// The webjar's one-file bundle under the name that sluice-client.js imports: one request instead of
// the seventeen of its ES modules.
import '/webjars/stomp__stompjs/bundles/stomp.umd.min.js';

export const { Client } = globalThis.StompJs;
