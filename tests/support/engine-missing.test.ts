import { inject, test } from 'vitest';
import { MISSING_REASONS } from './engines/installed.ts';

const engine = inject('engine');

test.skip(`journeys in ${engine}: NOT TESTED, because ${MISSING_REASONS[engine]}`, () => {});
