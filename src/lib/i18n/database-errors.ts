import { law as en } from './en/database-errors.ts';
import { spoken } from './messages.ts';

const law = spoken('law', en);

/** A sentence of the database in the language of the page; one that is not known there stays as it is. */
export function lawSentence(sentence: string): string {
  for (const [asItIs, here] of law.sentences) {
    const found = patternOf(asItIs).exec(sentence);
    if (!found) continue;
    const put = found.slice(1);
    return here.replaceAll('%s', () => put.shift() ?? '');
  }
  return sentence;
}

const patternOf = (template: string) =>
  new RegExp(`^${template.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%s', '(.*)')}$`, 's');
