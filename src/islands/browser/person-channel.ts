import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import type { TopicSocket } from './socket.ts';

/** What the channel of a person tells: that there is something to look at, never what. */
export type PersonEars = {
  /** Whether it tells from now on. What happened before was not heard. */
  setListening(hears: boolean): void;
  /** How one of this person's tips stands has changed. */
  tip(): void;
};

/**
 * The channel of what is for one person alone, closed until it is wanted. The library comes when it is wanted first;
 * where it cannot be had, nothing is told and the page looks by itself.
 */
export function personChannel(
  person: string,
  backend: BrowserBackend,
  token: () => Promise<string>,
  { setListening, tip }: PersonEars,
): TopicSocket {
  let wanted = false;
  let loading: Promise<TopicSocket> | undefined;

  async function load(): Promise<TopicSocket> {
    const { topicSocket } = await import('./socket.ts');
    return topicSocket(backend, { topic: `person:${person}`, events: { tip }, setListening, token });
  }

  return {
    setOpen(now) {
      wanted = now;
      if (now) loading ??= load();
      loading?.then(
        (socket) => socket.setOpen(wanted),
        () => {},
      );
    },
  };
}
