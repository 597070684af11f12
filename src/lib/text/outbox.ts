import { outbox as en } from './en/outbox.ts';
import { spoken } from './spoken.ts';

export const outbox = spoken('outbox', en);
