import { tips as en } from './en/tips.ts';
import { localized } from './messages.ts';

export const tips = localized('tips', en);
