const UNITS_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Go counts a duration in nanoseconds, in 64 bits: about 292 years. */
const LONGEST_MS = 2 ** 63 / 1e6;

const PART = /(\d+\.?\d*|\.\d+)([a-zµμ]+)/y;

/**
 * How long a ban is to last, in milliseconds, as GoTrue takes it: a duration in Go's writing (`24h`, `1h30m`), or
 * `none`, which is 0 and lifts it.
 * @returns undefined for anything else, a time that has passed and one that Go cannot count among it
 */
export function banDuration(text: string): number | undefined {
  if (text === 'none' || text === '0') return 0;
  let total = 0;
  PART.lastIndex = 0;
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    const [, amount, unit = ''] = PART.exec(text) ?? [];
    const length = UNITS_MS[unit];
    if (length === undefined) return undefined;
    total += Number(amount) * length;
  }
  return text !== '' && total <= LONGEST_MS ? total : undefined;
}
