import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Expected } from './expected.ts';

/** What was really said on the way to the Moon; it lies beside the project where the project is built. */
export const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');
export const hasTranscript = existsSync(TRANSCRIPT);

const update = (...numbers: number[]) => numbers.map((number) => `apollo-11/${number}`);

/** Thirty things that somebody looks for in the whole of Apollo 11: 1,383 updates, 18 of them with a headline. */
export const APOLLO: Expected[] = [
  { query: 'apollo 11', why: 'the coverage itself, not whoever is called by it', finds: ['apollo-11'] },
  { query: '1202', why: 'the alarm by its number', finds: update(713, 716), within: 3 },
  { query: 'one small step', why: 'the first words on the Moon', finds: update(834, 835) },
  { query: '"one giant leap"', why: 'the same, as a quotation', finds: update(835), exactly: 1 },
  { query: 'the eagle has landed', why: 'words with small ones among them', finds: update(718) },
  { query: 'MAGNIFICENT DESOLATION', why: 'in capitals', finds: update(843) },
  { query: 'splashdown', why: 'the end, by its headline', finds: update(1333) },
  { query: 'launch', why: 'the beginning, by its headline', finds: update(1) },
  { query: 'president nixon', why: 'the call, before the news that he is in', finds: update(858) },
  { query: 'docking', why: 'another form of a word of a headline', finds: update(44) },
  { query: 'computer problem', why: 'the singular of a headline', finds: update(716) },
  { query: 'eagle lifts off', why: 'a headline, with a small word', finds: update(998) },
  { query: 'tranquility base here', why: 'the first words from the ground', finds: update(718), within: 5 },
  { query: 'contact light', why: 'both stand in many, side by side in one', finds: update(718) },
  { query: 'Coperncius', why: 'letters the wrong way round', finds: update(521), meant: 'copernicus' },
  { query: 'Armstong', why: 'a letter left out', finds: update(275), within: 2, meant: 'armstrong' },
  {
    query: 'splashdwon hornet',
    why: 'one of two is wrong',
    finds: update(1147),
    within: 3,
    meant: 'splashdown hornet',
  },
  { query: 'quarrantine', why: 'a letter too many', finds: update(1275), meant: 'quarantine' },
  { query: 'heyerdahl', why: 'a name', finds: update(345, 1096), exactly: 2 },
  { query: 'luna 15 moscow', why: 'who answers in Moscow', finds: update(474) },
  { query: '"luna 15"', why: 'a name with a number', finds: update(165, 261, 262, 474), within: 5 },
  { query: 'shave', why: 'the shaving, by its verb', finds: update(1311) },
  { query: 'sandwich', why: 'the singular of what was eaten', finds: update(81) },
  { query: 'parachutes', why: 'each of three, in capitals too', finds: update(1291, 1300, 1305), within: 4 },
  { query: 'corona', why: 'the four that saw it', finds: update(458, 461, 464, 518) },
  { query: 'chinese girl rabbit', why: 'a story half remembered', finds: update(625) },
  { query: 'breakfast -bacon', why: 'without one', finds: update(1275, 1334), never: update(279) },
  { query: 'heyerdahl or birthday', why: 'either', finds: update(345, 1096, 82), exactly: 3 },
  { query: 'birthday mueller', why: 'whose it was', finds: update(82) },
  { query: 'roger', why: 'in half of all that was said', atLeast: 400 },
];
