/**
 * What the database says of a refusal, as it says it there and as a page says it; `%s` stands for what it puts in. The
 * database speaks English, so nothing has to be told otherwise here.
 */
export const law: { sentences: [asItIs: string, here: string][] } = { sentences: [] };
