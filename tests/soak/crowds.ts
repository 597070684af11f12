import type { Soak } from './soak.ts';

/** The load that two cores bear together with the programs that create it, for a quarter of an hour. */
export const WHOLE: Soak = {
  crowd: {
    readers: 60,
    bySocket: 1_000,
    byChecks: 300,
    pace: { publish: 4_000, tip: 2_000, photo: 20_000 },
  },
  beyond: { seconds: 60, flooding: 100 },
  // About 400 MB belong to short-lived processes: functions, photos, images.
  bounds: { growth: 1.05, memory: 1_000 },
};

/** A smaller load for a minute. Growth within this time is no leak yet. */
export const SAMPLE: Soak = {
  crowd: {
    readers: 15,
    bySocket: 200,
    byChecks: 60,
    pace: { publish: 4_000, tip: 3_000, photo: 15_000 },
  },
  beyond: { seconds: 10, flooding: 30 },
  bounds: { growth: 1.3, memory: 1_000 },
};
