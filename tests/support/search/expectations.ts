import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Expected result of a search. A coverage is named by its slug, an update by coverage and number (`river/3`).
 */
export type Expected = {
  /** The query as typed. */
  query: string;
  /** Property of the search that the query tests. */
  why: string;
  /** Names expected among the first `within` results. The default of `within` is the number of these names. */
  finds?: string[];
  within?: number;
  /** Names that must not be among the results. */
  never?: string[];
  /** Expected number of results. */
  atLeast?: number;
  exactly?: number;
  /** The expected spelling suggestion. */
  corrected_query?: string;
};

/** Names of the results in order. */
export type SearchOutcome = { results: string[]; total: number; corrected_query: string | null };

/** Compares an outcome with its expectations. @returns descriptions of unmet expectations */
export function missing(expected: Expected, { results, total, corrected_query }: SearchOutcome): string[] {
  const { finds = [], never = [], within = finds.length, atLeast, exactly } = expected;
  const first = results.slice(0, within);
  return [
    ...finds.filter((one) => !first.includes(one)).map((one) => `${one} is not among the first ${within}`),
    ...never.filter((one) => results.includes(one)).map((one) => `${one} is among the results`),
    ...(atLeast !== undefined && total < atLeast ? [`${total} results, not ${atLeast} or more`] : []),
    ...(exactly !== undefined && total !== exactly ? [`${total} results, not ${exactly}`] : []),
    ...((expected.corrected_query ?? null) === corrected_query
      ? []
      : [`understood as ${corrected_query}, not ${expected.corrected_query ?? null}`]),
  ].map((fault) => `${expected.query}: ${fault} (${results.slice(0, 5).join(', ')})`);
}

/** The transcript of Apollo 11. The machine that builds the project has the file in a folder beside it. */
export const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');
export const hasTranscript = existsSync(TRANSCRIPT);

const update = (...numbers: number[]) => numbers.map((number) => `apollo-11/${number}`);

/** Thirty queries for Apollo 11, which has 1,383 updates, 18 of them with a headline. */
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
  {
    query: 'Coperncius',
    why: 'letters the wrong way round',
    finds: update(521),
    corrected_query: 'copernicus',
  },
  {
    query: 'Armstong',
    why: 'a letter left out',
    finds: update(275),
    within: 2,
    corrected_query: 'armstrong',
  },
  {
    query: 'splashdwon hornet',
    why: 'one of two is wrong',
    finds: update(1147),
    within: 3,
    corrected_query: 'splashdown hornet',
  },
  { query: 'quarrantine', why: 'a letter too many', finds: update(1275), corrected_query: 'quarantine' },
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

/** Queries for the test newsroom. */
export const QUERIES: Expected[] = [
  {
    query: 'evacuation',
    why: 'every form of it, the headline first',
    finds: ['river/2', 'river/3', 'river/4'],
  },
  { query: 'evacuate', why: 'as a verb', finds: ['river/2'], atLeast: 3 },
  { query: 'harrow bridge', why: 'the coverage, then the headline', finds: ['river', 'river/9'] },
  { query: 'swale', why: 'in a standfirst too', finds: ['river', 'river/1'], exactly: 2 },
  { query: 'flood', why: 'a kicker', finds: ['river'], exactly: 1 },
  {
    query: 'inundacion',
    why: 'without its accent, the plural too',
    finds: ['crecida', 'crecida/1'],
    exactly: 2,
  },
  { query: 'INUNDACIÓN', why: 'in capitals', finds: ['crecida', 'crecida/1'], exactly: 2 },
  { query: 'inundaciones', why: 'of many', finds: ['crecida', 'crecida/1'], exactly: 2 },
  { query: 'ÑANDÚ', why: 'capitals beyond ASCII', finds: ['crecida/2'], exactly: 1 },
  { query: 'nandu', why: 'without either sign', finds: ['crecida/2'], exactly: 1 },
  { query: 'nunoa', why: 'a place', finds: ['crecida'] },
  { query: 'evacuación', why: 'Spanish alone ends so', finds: ['crecida/3'], within: 2, exactly: 2 },
  { query: 'РЕКА', why: 'capitals of another script', finds: ['reka', 'reka/1', 'reka/2'] },
  { query: 'мосты', why: 'another form in Russian', finds: ['reka/2'], exactly: 1 },
  { query: 'еще', why: 'without its dots, and a small word: nothing but it', finds: [] },
  { query: '噴火', why: 'two characters', finds: ['sakurajima', 'sakurajima/1'], exactly: 2 },
  { query: '噴', why: 'one character', finds: ['sakurajima', 'sakurajima/1', 'sakurajima/2'], exactly: 3 },
  { query: '小学校', why: 'three', finds: ['sakurajima/3'], exactly: 1 },
  { query: '校学', why: 'characters that stand apart', exactly: 0 },
  { query: '鹿児島 噴火', why: 'two words', finds: ['sakurajima/1'], exactly: 1 },
  { query: 'ﾊﾞｽ', why: 'narrow letters', finds: ['sakurajima/3'], exactly: 1 },
  { query: 'الجسر', why: 'Arabic', finds: ['wadi/2'], exactly: 1 },
  { query: 'فتح', why: 'without its small signs', finds: ['wadi/2'], exactly: 1 },
  { query: 'brige', why: 'a letter left out', finds: ['river', 'river/9'], corrected_query: 'bridge' },
  {
    query: 'evacation',
    why: 'a letter left out',
    finds: ['river/4'],
    within: 4,
    corrected_query: 'evacuation',
  },
  {
    query: 'okonkow',
    why: 'letters changed about',
    finds: ['river/4', 'river/6'],
    corrected_query: 'okonkwo',
  },
  {
    query: 'inundasion',
    why: 'as it sounds',
    finds: ['crecida', 'crecida/1'],
    corrected_query: 'inundacion',
  },
  { query: 'мотс', why: 'in another script', finds: ['reka/2'], corrected_query: 'мост' },
  { query: 'xylophone', why: 'nothing like it', exactly: 0 },
  { query: '"nobody is missing"', why: 'a quotation', finds: ['river/6'], exactly: 1 },
  { query: '“Nobody is missing”', why: 'in a newspaper’s marks', finds: ['river/6'], exactly: 1 },
  { query: '"missing nobody"', why: 'the other way round', exactly: 0 },
  { query: 'okonkwo-lee', why: 'a name with a hyphen', finds: ['river/4', 'river/6'], exactly: 2 },
  {
    query: 'bridge -lorries',
    why: 'without a word',
    finds: ['river', 'river/8'],
    never: ['river/5', 'river/9'],
  },
  { query: 'sandbags or soup', why: 'either', finds: ['river/3', 'river/5'], exactly: 2 },
  { query: 'sandbags OR soup', why: 'as others write it', finds: ['river/3', 'river/5'], exactly: 2 },
  { query: 'sandbags soup', why: 'both, which are nowhere', exactly: 0 },
  { query: 'cafe muller', why: 'accents of English', finds: ['river/5'], exactly: 1 },
  { query: '1147', why: 'a number', finds: ['river/7'], exactly: 1 },
  { query: 'a6108', why: 'a road', finds: ['river/7'], exactly: 1 },
  { query: '2.40', why: 'a number with a point', finds: ['river/1'], exactly: 1 },
  { query: 'not before eight', why: 'small words do not matter', finds: ['river/8'], exactly: 1 },
  { query: '🚚 lorries', why: 'a picture is no word', finds: ['river/5', 'river/9'], exactly: 2 },
];

/** Queries without a word, or with words that are too common. */
export const WORDLESS = ['', ' ', '?!', '-', '""', '🚚', '-river', '\u0000'.slice(1), '\u00ad', 'or', '"-"'];

/** Queries that only programs send. They must not cause errors. */
export const HOSTILE = [
  'a & | ! ) (',
  'river <-> bridge:*',
  "river'); drop table updates; --",
  "'river' '\\' \\ :AB",
  '"river',
  'river "',
  '!!!river',
  '- - - river',
  'river or or or',
  'or river',
  'or -river',
  '((((((((((river',
  '%_river\\',
  '\ud83d\ude9a river',
  'x'.repeat(10_000),
  'river '.repeat(2_000),
  Array.from({ length: 200 }, (_, n) => `river${n}`).join(' or '),
  Array.from({ length: 100 }, (_, n) => `-river${n}`).join(' '),
  `"${'river bridge '.repeat(800)}"`,
  '噴'.repeat(5_000),
  '#river @river =river ^river !key ~1 %2026',
];
