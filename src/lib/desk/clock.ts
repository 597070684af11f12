import { currentLanguage } from '../text/language.ts';
import type { Clock } from '../time/clock.ts';

/** How the desk tells a coverage's times: by the coverage's clocks, in the language that the desk speaks. */
export const deskClock = ({ time_zone }: { time_zone: string }): Clock => ({
  timeZone: time_zone,
  language: currentLanguage(),
});
