import type { NetworkProfile } from '../support/network-latency.ts';

const kbit = (kilobits: number) => (kilobits * 1000) / 8;

/** A phone at the edge of its net: 400 ms there and back, 400 kbit/s. */
export const FAR: NetworkProfile = { roundTrip: 400, up: kbit(400), down: kbit(400) };

/** A phone on a fair line: 150 ms, 1.6 Mbit/s. */
export const FAIR: NetworkProfile = { roundTrip: 150, up: kbit(750), down: kbit(1_600) };

/** A line at home: 30 ms, 20 Mbit/s. */
export const GOOD: NetworkProfile = { roundTrip: 30, up: kbit(5_000), down: kbit(20_000) };

/** A line over which no script is worth its bytes: 600 ms there and back, 200 kbit/s. */
export const POOR: NetworkProfile = { roundTrip: 600, up: kbit(200), down: kbit(200) };
