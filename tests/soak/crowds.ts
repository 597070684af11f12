import type { Soak } from './soak.ts';

/** What two shared cores hold, with those who make the load on them: a front page of the internet, for a quarter of an hour. */
export const WHOLE: Soak = {
  crowd: {
    readers: 60,
    bySocket: 1_000,
    byChecks: 300,
    pace: { publish: 4_000, tip: 2_000, photo: 20_000 },
  },
  beyond: { seconds: 60, flooding: 100 },
  // Of which some 400 are processes that come and go: functions, photos, pictures.
  bounds: { growth: 1.05, memory: 900 },
};

/** The same, smaller and for a minute, beside other tests: what is still growing then is no leak yet. */
export const SAMPLE: Soak = {
  crowd: {
    readers: 40,
    bySocket: 200,
    byChecks: 60,
    pace: { publish: 4_000, tip: 3_000, photo: 15_000 },
  },
  beyond: { seconds: 10, flooding: 30 },
  bounds: { growth: 1.2, memory: 700 },
};
