import type { Delivery } from './delivery.ts';
import { oneLine, tellingOf } from './telling.ts';
import { wordsIn } from './words.ts';

/** What the service worker is told (`public` knows it by these names). */
export type PushMessage = {
  /** It shows each alert once. */
  alert: string;
  title: string;
  body: string;
  url: string;
  /** What it shows stands in the place of the last one of the same tag. */
  tag: string;
  urgent: boolean;
  lang: string;
  /** When the newest was published. In milliseconds. */
  at: number;
};

/** Of one update it says the update and leads there, of several the newest and how many more. */
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
