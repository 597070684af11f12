import type { Engine } from '../engine/engine.ts';

/** What `realtime.send` has sent. */
export type Message = {
  id: string;
  topic: string;
  event: string;
  /** JSON text, as the database holds it. */
  payload: string;
  private: boolean;
};

/** Hears what realtime.send has committed, in order, also after the line to the database was lost. */
export async function openFeed(
  _engine: Engine,
  _deliver: (message: Message) => void,
): Promise<{ close(): Promise<void> }> {
  return { async close() {} };
}
