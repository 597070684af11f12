import type { Outcome } from './delivery.ts';
import type { Composed } from './letter.ts';
import { type Line, openLine, ServerGone } from './smtp-line.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** Milliseconds for which an idle connection is kept for the next call. */
const KEPT_MS = 5_000;

/** Maximum duration of a mail in milliseconds, including the connection. */
export const LONGEST_MAIL_MS = 20_000;
/** Part of it reserved for the mail itself. A connection that takes longer is given up. */
const SENDING_MS = 10_000;

/** Sends mails over a pool of connections. */
export type Post = {
  /**
   * Sends like an SMTP connection.
   * @throws ServerGone
   */
  send(to: string, letter: Composed): Promise<Outcome | undefined>;
  close(): void;
};

/** @param name host name for the greeting */
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

  /** A server may have closed an idle connection. Then a new one is opened. */
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
