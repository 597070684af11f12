import type { Outcome } from './delivery.ts';
import type { Composed } from './letter.ts';
import { type Line, openLine, ServerGone } from './smtp-line.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** So long a connection is kept for the next mail: one call of the function follows the other. */
const KEPT_MS = 5_000;

/** So long one mail takes at most, with all that it takes to reach the server. */
export const LONGEST_MAIL_MS = 20_000;
/** Of these, what is left for the mail itself when the server has been reached: else it is not begun. */
const SENDING_MS = 10_000;

/** Hands mails to the mail server. */
export type Post = {
  /** As a line sends. @throws ServerGone */
  send(to: string, letter: Composed): Promise<Outcome | undefined>;
  close(): void;
};

/** @param name what we call ourselves */
export function openPost(
  settings: SmtpSettings,
  name: string,
  { keptMs, longestMs, sendingMs } = { keptMs: KEPT_MS, longestMs: LONGEST_MAIL_MS, sendingMs: SENDING_MS },
): Post {
  const idle: Line[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(timer);
    for (const line of idle.splice(0)) line.close();
  };

  function keep(line: Line): void {
    idle.push(line);
    clearTimeout(timer);
    timer = setTimeout(close, keptMs);
  }

  /** A server ends a connection that was idle, or that has carried enough: then there is a new one. */
  async function sendOver(known: Line | undefined, until: number, to: string, letter: Composed) {
    const line = known ?? (await openLine(settings, name, until - sendingMs));
    try {
      const outcome = await line.send(to, letter, until);
      if (line.isOpen()) keep(line);
      return outcome;
    } catch (error) {
      if (known && error instanceof ServerGone) return sendOver(undefined, until, to, letter);
      throw error;
    }
  }

  return {
    send: (to, letter) => sendOver(idle.pop(), performance.now() + longestMs, to, letter),
    close,
  };
}
