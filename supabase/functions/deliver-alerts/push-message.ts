import type { Delivery } from './delivery.ts';
import { oneLine, tellingOf } from './telling.ts';
import { wordsIn } from './words.ts';

/** Payload of a push message. The service worker reads these fields. */
export type PushMessage = {
  /** The service worker shows each alert once. */
  alert: string;
  title: string;
  body: string;
  url: string;
  /** A notification replaces the last one with the same tag. */
  tag: string;
  urgent: boolean;
  lang: string;
  /** Publication time of the newest update, in milliseconds. */
  at: number;
};

/**
 * With one update, the message shows it and links to it. With several, it shows the newest and the number of others.
 */
export function pushMessage(delivery: Delivery, site: string): PushMessage {
  const { alert, urgent, language, coverage, total } = delivery;
  const { page, updates, newest } = tellingOf(delivery, site);
  const more = total - 1;
  return {
    alert,
    title: oneLine(coverage.headline),
    body: more > 0 ? `${newest}\n${wordsIn(language).more(more)}` : newest,
    url: more === 0 ? (updates[0]?.url ?? page) : page,
    tag: coverage.slug,
    urgent,
    lang: language,
    at: Date.parse(updates[0]?.published_at ?? '') || Date.now(),
  };
}
