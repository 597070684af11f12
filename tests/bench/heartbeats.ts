import type { LightSocket } from './light-socket.ts';
import { HEARTBEAT } from './phoenix.ts';

/** The interval of the real client. */
const HEARTBEAT_MS = 25_000;
const STEP_MS = 50;

/** Sends heartbeats on all sockets, spread over the interval. */
export function keepAlive(sockets: LightSocket[]): void {
  let at = 0;
  setInterval(() => {
    const each = Math.ceil((sockets.length * STEP_MS) / HEARTBEAT_MS);
    for (let n = 0; n < each; n++) sockets[at++ % sockets.length]?.send(HEARTBEAT);
  }, STEP_MS);
}
