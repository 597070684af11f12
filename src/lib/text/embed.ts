import { embed as en } from './en/embed.ts';
import { spoken } from './spoken.ts';

export const embed = spoken('embed', en);
