/** The round trip in which a number of bytes had arrived. */
export function roundsOf(rounds: number[], bytes: number): number {
  let come = 0;
  const at = rounds.findIndex((more) => {
    come += more;
    return come >= bytes;
  });
  return at < 0 ? Number.NaN : at + 1;
}
