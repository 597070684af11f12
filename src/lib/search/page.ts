import { type Refusal, refusal, refusalOrThrow } from '../http/errors.ts';
import { readSite, rememberedSite } from '../site/read.ts';
import { search as words } from '../text/search.ts';
import { isDay, type SearchParameters } from './address.ts';
import { type Choices, readChoices } from './choices.ts';
import { type Answer, find } from './read.ts';

/** What is wrong with what was typed, by the name of the field. */
export type Problems = Partial<Record<'q' | 'from' | 'to', string>>;

/** Whoever asked while the backend did not answer may ask again after so many seconds. */
const AGAIN_S = 30;

/**
 * All that the page of a search shows. Where something is wrong with what was typed, or the backend does not answer,
 * the form is there with it: nothing has to be typed again.
 */
export async function search(asked: SearchParameters) {
  const [site, choices, found] = await Promise.all([
    readSite().catch(rememberedSite),
    readChoices(asked).catch(noChoices),
    tryFind(asked),
  ]);
  // Told only now: in which language, the site says.
  const days = dayProblems(asked);
  const isWrong = Object.keys(days).length > 0;
  const refused = found.refused ?? (isWrong ? refusal('invalid') : null);
  const problems: Problems = refused?.field === 'query' ? { q: words.noWord } : days;
  return { site, choices, answer: found.answer, problems, refused };
}

async function tryFind(asked: SearchParameters): Promise<{ answer: Answer | null; refused: Refusal | null }> {
  if (asked.q === null || hasWrongDay(asked)) return { answer: null, refused: null };
  try {
    return { answer: await find(asked), refused: null };
  } catch (error) {
    const refused = refusalOrThrow(error);
    return {
      answer: null,
      refused: refused.code === 'unavailable' ? { ...refused, retryAfter: AGAIN_S } : refused,
    };
  }
}

/** What the form offers is worth nothing while the backend does not answer, and no reason to show no form. */
function noChoices(error: unknown): Choices {
  refusalOrThrow(error);
  return { coverage: [], topic: [], person: [] };
}

const isWrongDay = (text: string | null): text is string => text !== null && !isDay(text);
const isBackwards = ({ from, to }: SearchParameters) => from !== null && to !== null && from > to;
const hasWrongDay = (asked: SearchParameters) =>
  isWrongDay(asked.from) || isWrongDay(asked.to) || isBackwards(asked);

function dayProblems(asked: SearchParameters): Problems {
  const { from, to } = asked;
  const problems: Problems = {
    ...(isWrongDay(from) && { from: words.noDay(from) }),
    ...(isWrongDay(to) && { to: words.noDay(to) }),
  };
  if (Object.keys(problems).length === 0 && isBackwards(asked)) problems.to = words.noSpan;
  return problems;
}
