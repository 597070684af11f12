import type { LightSocket } from './light-socket.ts';
import { HEARTBEAT } from './phoenix.ts';

/** As often as the real client. */
const HEARTBEAT_MS = 25_000;
const STEP_MS = 50;

/** Says of each socket now and then that it is alive: each in its turn, so that they never speak all at once. */
export function keepAlive(sockets: LightSocket[]): void {
  let at = 0;
  setInterval(() => {
    const each = Math.ceil((sockets.length * STEP_MS) / HEARTBEAT_MS);
    for (let n = 0; n < each; n++) sockets[at++ % sockets.length]?.send(HEARTBEAT);
  }, STEP_MS);
}
