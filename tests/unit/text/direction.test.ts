import { expect, test } from 'vitest';
import { directionOf } from '../../../src/lib/i18n/language.ts';
import { directionOf as directionInAlerts } from '../../../supabase/functions/deliver-alerts/delivery.ts';

// Edge functions cannot import the site's modules, so alerts have a function of their own.
test.for([
  ['en', 'ltr'],
  ['ar', 'rtl'],
  ['he-IL', 'rtl'],
  ['az-Arab', 'rtl'],
  ['az', 'ltr'],
  ['en-x', 'ltr'],
] as const)('%s is written %s, on pages and in alerts', ([language, direction]) => {
  expect(directionOf(language)).toBe(direction);
  expect(directionInAlerts(language)).toBe(direction);
});
