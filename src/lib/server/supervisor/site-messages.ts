import type { BackendEndpoint } from '../backend-process.ts';

/** File descriptor of the held port in a site process: the one after the IPC channel. */
export const PORT_FD = 4;

/** First message to a site process. */
export const START = 'begin';
export type Start = {
  /** Origin of the port. */
  url: string;
  role: SiteRole;
};

/**
 * `first`: nothing has listened on the port. `restarted`: the process before it has ended, and connections queue.
 * `successor`: an older process still serves the port.
 */
export type SiteRole = 'first' | 'restarted' | 'successor';

/** Sent when the backend's address is known; undefined for a hosted project. */
export const BACKEND_READY = 'found';
export type BackendReady = { backend: BackendEndpoint | undefined };

/** Sent to the first site process: it may log the address of the setup page. */
export const ANNOUNCE = 'announce';

/** Sent to a site process that was replaced. */
export const LEAVE = 'leave';

/** Waits for the first message of a type. */
export function nextMessage<Message>(type: string): Promise<Message> {
  return new Promise((resolve) => {
    process.on('message', (message: { type: string }) => {
      if (message.type === type) resolve(message as Message);
    });
  });
}
