import { listenTo, subscribe } from '../../embedded/realtime/house.ts';
import type { House } from './house.ts';
import type { Mark, Person } from './table.ts';

/** The topics of "Channels". */
export const TOPICS: Record<string, (house: House, who: Person) => string> = {
  '`coverage:` of a coverage for readers': ({ shown }) => `coverage:${shown.coverage}`,
  '`coverage:` of one taken back': ({ hidden }) => `coverage:${hidden.coverage}`,
  '`coverage:` of one not begun': ({ draft }) => `coverage:${draft}`,
  '`desk:`': ({ draft }) => `desk:${draft}`,
  '`tips`': () => 'tips',
  '`person:` of oneself': ({ id }, who) => `person:${id(who)}`,
  '`person:` of somebody else': ({ subject }) => `person:${subject}`,
  '`site`': () => 'site',
};
export const DOES = ['hears', 'is seen', 'sends'] as const;
type Rights = Record<(typeof DOES)[number], Mark>;

/** What somebody may do on a topic, by joining it, by showing that they are there, and by sending a message. */
export async function joins(house: House, who: Person, topic: string): Promise<Rights> {
  const client = house.client(who);
  const listener = listenTo(client, topic, { private: true });
  listener.channel.on('presence', { event: 'sync' }, () => {});
  await subscribe(listener);
  const mark = (may: boolean): Mark => (may ? '●' : '–');
  const hears = listener.statuses[0]?.status === 'SUBSCRIBED';
  const seen = hears && (await listener.channel.track({ on: 'phone' })) === 'ok';
  const sends = await listener.channel.httpSend('change', { seq: 1 }).then(
    ({ success }) => success,
    () => false,
  );
  await client.removeChannel(listener.channel);
  return { hears: mark(hears), 'is seen': mark(seen), sends: mark(sends) };
}
