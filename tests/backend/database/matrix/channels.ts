import { listenTo, subscribe } from '../../embedded/realtime/channels.ts';
import type { MatrixContext } from './context.ts';
import type { Mark, Person } from './table.ts';

/** The channels of "Channels". */
export const TOPICS: Record<string, (matrix: MatrixContext, who: Person) => string> = {
  '`coverage:` of a public coverage': ({ shown }) => `coverage:${shown.coverage}`,
  '`coverage:` of a withdrawn coverage': ({ hidden }) => `coverage:${hidden.coverage}`,
  '`coverage:` of a draft': ({ draft }) => `coverage:${draft}`,
  '`desk:`': ({ draft }) => `desk:${draft}`,
  '`tips`': () => 'tips',
  '`person:` of oneself': ({ id }, who) => `person:${id(who)}`,
  '`person:` of another person': ({ subject }) => `person:${subject}`,
  '`site`': () => 'site',
};
export const DOES = ['receives', 'shows presence', 'sends'] as const;
type Rights = Record<(typeof DOES)[number], Mark>;

/** Joins a channel, tracks presence and sends a message, and returns what was allowed. */
export async function joins(matrix: MatrixContext, who: Person, topic: string): Promise<Rights> {
  const client = matrix.client(who);
  const listener = listenTo(client, topic, { private: true });
  listener.channel.on('presence', { event: 'sync' }, () => {});
  await subscribe(listener);
  const mark = (may: boolean): Mark => (may ? '●' : '–');
  const receives = listener.statuses[0]?.status === 'SUBSCRIBED';
  const shows = receives && (await listener.channel.track({ on: 'phone' })) === 'ok';
  const sends = await listener.channel.httpSend('change', { seq: 1 }).then(
    ({ success }) => success,
    () => false,
  );
  await client.removeChannel(listener.channel);
  return { receives: mark(receives), 'shows presence': mark(shows), sends: mark(sends) };
}
