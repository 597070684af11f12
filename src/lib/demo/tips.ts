import { randomBytes, randomUUID } from 'node:crypto';
import { FLOOD } from './flood.ts';
import type { Staff } from './hire.ts';

type Tip = {
  body: string;
  name?: string;
  contact?: string;
  may_name?: boolean;
  /** What was in the field that nobody sees: it is held. */
  website?: string;
};

/** What readers of the flood have told, the oldest first. The reader's own comes last. */
const TIPS: Tip[] = [
  { body: 'Cheap boats delivered to your door, see our shop.', website: 'https://boats.example' },
  {
    body: 'The cellar of the Anchor has half a metre of water in it. The landlord has moved the barrels up and says he opens at six as usual.',
    name: 'Ruth Penhale',
    contact: 'ruth@demo.example',
    may_name: true,
  },
  {
    body: 'There is a tree across the Hallam road just past the quarry turning. Two cars have turned round. No police there yet.',
    contact: '07700 900123',
  },
  {
    body: 'My mother is at Ferry Cottages and the pump in the lane has stopped.\nIs anybody looking after those houses tonight?',
    name: 'Sam Whitlock',
    contact: 'reader@demo.example',
  },
];

/** Lets readers write to the newsroom; the moderator has one of their tips in review. */
export async function tellTips({ service, clients, ids }: Staff): Promise<void> {
  const sent: string[] = [];
  for (const [n, tip] of TIPS.entries()) {
    const id = randomUUID();
    const isOwn = n === TIPS.length - 1;
    await service
      .rpc('add_tip', {
        tip_id: id,
        content: { ...tip, coverage: FLOOD.slug },
        receipt: randomBytes(32).toString('base64url'),
        sender: { address: `192.0.2.${n + 1}`, person: isOwn ? ids.reader : null },
      })
      .throwOnError();
    sent.push(id);
  }
  const [, taken = ''] = sent;
  await clients.moderator.rpc('take_tip', { op: randomUUID(), tip_id: taken, version: 1 }).throwOnError();
  const target = { coverage: FLOOD.slug };
  await clients.reader
    .rpc('save_follow', { op: randomUUID(), target, scope: 'key', mail: false, push: true })
    .throwOnError();
}
