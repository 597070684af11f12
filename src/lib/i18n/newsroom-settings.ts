import { newsroomSettings as en } from './en/newsroom-settings.ts';
import { localized } from './messages.ts';

export const newsroomSettings = localized('newsroomSettings', en);
