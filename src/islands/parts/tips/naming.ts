import { shorten } from '../../../lib/body/text.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';

/** Characters of the first words, to tell a tip by. */
const FIRST = 40;

/** What a tip is called in the name of a button: there is one like it for others too. */
export const nameOfTip = ({ body }: Pick<QueueTip, 'body'>): string =>
  shorten(body.replace(/\s+/g, ' ').trim(), FIRST);
