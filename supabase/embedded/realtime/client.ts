import type { Bucket } from '../bucket.ts';
import type { KeyHolder } from './access.ts';
import type { Line } from './lines.ts';
import type { Envelope, Version } from './wire.ts';

/** A socket as its channels see it. */
export type Client = {
  version: Version;
  who: KeyHolder;
  line: Line;
  /** Its broadcasts and presence calls. */
  events: Bucket;
  readonly open: boolean;
  /** Takes a whole WebSocket frame. */
  write(frame: Buffer): void;
  say(envelope: Envelope, payload: unknown): void;
  /** Answers what the client said; a client that gave no reference waits for no answer. */
  reply(to: Envelope, status: 'ok' | 'error', response: Record<string, unknown>): void;
};
