/** What is said among the pages and the worker of this device when something that is kept has changed. */
export type News =
  | { of: 'drafts' | 'presses'; person: string }
  /** Which press is on its way now, or why none is: `line`, `session`, or nothing more waits. */
  | { of: 'sending'; person: string; press: string | null; holdUp: HoldUp | null }
  | { of: 'device' };

/** Why nothing is sent although something waits. */
export type HoldUp = 'line' | 'session';

const listeners = new Set<(news: News) => void>();
let channel: BroadcastChannel | undefined;

function opened(): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  if (!channel) {
    channel = new BroadcastChannel('stoppress-outbox');
    channel.onmessage = ({ data }: MessageEvent<News>) => tellHere(data);
  }
  return channel;
}

function tellHere(news: News): void {
  for (const listener of listeners) listener(news);
}

/** Says it to everybody here, this page included. */
export function tell(news: News): void {
  tellHere(news);
  opened()?.postMessage(news);
}

/** Hears what is said on this device. Returns what ends it. */
export function onNews(listener: (news: News) => void): () => void {
  opened();
  listeners.add(listener);
  return () => listeners.delete(listener);
}
