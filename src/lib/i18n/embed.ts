import { embed as en } from './en/embed.ts';
import { localized } from './messages.ts';

export const embed = localized('embed', en);
