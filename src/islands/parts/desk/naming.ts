import { excerpt } from '../../../lib/body/text.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as messages } from '../../../lib/text/desk.ts';

/** Characters of the first words, to tell an update by. */
const FIRST = 40;

/** What an update is called in the name of a button: there is one like it for others too. */
export const nameOfUpdate = ({ headline, body, state }: DeskUpdate): string =>
  headline ?? (excerpt(body, FIRST) || messages.updateStates[state]);
