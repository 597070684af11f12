/** Event for the pages and the service worker of this device after a change in the outbox. */
type OutboxEvent =
  | { type: 'drafts' | 'commands'; person: string }
  /** The command that is being sent, or why none is. Both are null when the outbox is empty. */
  | { type: 'sending'; person: string; command: string | null; pauseReason: PauseReason | null }
  | { type: 'device' };

/** Why the outbox does not send although commands are waiting: no connection or no session. */
export type PauseReason = 'line' | 'session';

const listeners = new Set<(event: OutboxEvent) => void>();
let channel: BroadcastChannel | undefined;

function openChannel(): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  if (!channel) {
    channel = new BroadcastChannel('stoppress-outbox');
    channel.onmessage = ({ data }: MessageEvent<OutboxEvent>) => notifyListeners(data);
  }
  return channel;
}

function notifyListeners(event: OutboxEvent): void {
  for (const listener of listeners) listener(event);
}

/** Sends an event to all pages and workers of this device, including this page. */
export function notify(event: OutboxEvent): void {
  notifyListeners(event);
  openChannel()?.postMessage(event);
}

/** Listens for outbox events. Returns a function that stops listening. */
export function onOutboxEvent(listener: (event: OutboxEvent) => void): () => void {
  openChannel();
  listeners.add(listener);
  return () => listeners.delete(listener);
}
