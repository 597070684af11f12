import type { NetworkProfile } from '../support/network-latency.ts';

const kbit = (kilobits: number) => (kilobits * 1000) / 8;

/** A phone with a weak signal: 400 ms round trip, 400 kbit/s. */
export const FAR: NetworkProfile = { roundTrip: 400, up: kbit(400), down: kbit(400) };

/** A phone with a fair signal: 150 ms, 1.6 Mbit/s. */
export const FAIR: NetworkProfile = { roundTrip: 150, up: kbit(750), down: kbit(1_600) };

/** A connection at home: 30 ms, 20 Mbit/s. */
export const GOOD: NetworkProfile = { roundTrip: 30, up: kbit(5_000), down: kbit(20_000) };

/** A connection that is too poor for scripts: 600 ms round trip, 200 kbit/s. */
export const POOR: NetworkProfile = { roundTrip: 600, up: kbit(200), down: kbit(200) };
