import { embed as en } from './en/embed.ts';
import { spoken } from './messages.ts';

export const embed = spoken('embed', en);
