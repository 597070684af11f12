import { Refused, refusal } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { LIMITS } from '../limits.ts';
import { dataOf } from '../supabase/answer.ts';
import type { Enums, Tables } from '../supabase/database.types.ts';
import { desk as deskWords } from '../text/desk.ts';
import { settings as words } from '../text/settings.ts';
import type { Backend } from './read.ts';
import { localTime } from './schedule.ts';
import { isTimeZone, zonedTime } from './zoned-time.ts';

/* The settings of a coverage: parts that are saved each by itself. */

/** The parts of its own row, with the fields of each one's form. */
export const PARTS = {
  words: ['headline', 'kicker', 'standfirst'],
  address: ['slug'],
  place: ['time_zone', 'language', 'starts_at'],
  topics: ['topics'],
  following: ['reader_follow', 'reader_interval'],
} as const;
export type Part = keyof typeof PARTS;

export const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);

/** What a form holds, by the names of its fields. */
export type Values = Record<string, string>;

export type CoverageSettings = Pick<
  Tables<'coverages'>,
  | 'id'
  | 'slug'
  | 'kicker'
  | 'headline'
  | 'standfirst'
  | 'state'
  | 'time_zone'
  | 'language'
  | 'starts_at'
  | 'reader_follow'
  | 'reader_interval'
  | 'version'
> & {
  /** Slugs of its topics, in their order. */
  topics: string[];
};

const COLUMNS =
  `id, slug, kicker, headline, standfirst, state, time_zone, language, starts_at, reader_follow, reader_interval,
  version, coverage_topics(topics(slug))` as const;

/** The settings of the coverage with this slug; null when there is none that the caller may see. */
export async function readSettings(backend: Backend, slug: string): Promise<CoverageSettings | null> {
  const row = await dataOf(backend.from('coverages').select(COLUMNS).eq('slug', slug).maybeSingle());
  if (!row) return null;
  const { coverage_topics, ...coverage } = row;
  return { ...coverage, topics: coverage_topics.map(({ topics }) => topics.slug).sort() };
}

/** What the form of a part holds before anybody has typed. */
export function valuesOf(part: Part, coverage: CoverageSettings): Values {
  const all: Record<string, string> = {
    headline: coverage.headline,
    kicker: coverage.kicker,
    standfirst: coverage.standfirst,
    slug: coverage.slug,
    time_zone: coverage.time_zone,
    language: coverage.language,
    starts_at: coverage.starts_at ? localTime(coverage.starts_at, coverage.time_zone) : '',
    topics: coverage.topics.join(' '),
    reader_follow: coverage.reader_follow ?? '',
    reader_interval: coverage.reader_interval?.toString() ?? '',
  };
  return Object.fromEntries(PARTS[part].map((name) => [name, all[name] ?? '']));
}

/** What was sent of a part. Of topics each is a field of its own. */
export function sentValues(part: Part, form: FormData): Values {
  if (part === 'topics') return { topics: form.getAll('topics').map(String).sort().join(' ') };
  return Object.fromEntries(PARTS[part].map((name) => [name, textOf(form, name).trim()]));
}

/** What a form was shown, as it sends it back; null when that cannot be read. */
export function seenValues(form: FormData): Values | null {
  try {
    return JSON.parse(textOf(form, 'seen')) as Values;
  } catch {
    return null;
  }
}

export const sameValues = (a: Values | null, b: Values): boolean =>
  a !== null && Object.keys(b).every((name) => a[name] === b[name]);

/**
 * The values of a part as `save_coverage` takes them.
 * @param shown what stands in the database: a start that nobody touched keeps its seconds
 * @throws Refused naming the field that breaks a rule
 */
export function contentOf(
  part: Part,
  values: Values,
  shown: Values,
): Record<string, string | number | string[] | null> {
  switch (part) {
    case 'topics': {
      const topics = (values.topics ?? '').split(' ').filter(Boolean);
      if (topics.length > LIMITS.topics) throw wrong('topics', words.topics.tooMany(LIMITS.topics));
      return { topics };
    }
    case 'following':
      return {
        reader_follow: (values.reader_follow || null) as Enums<'reader_follow'> | null,
        reader_interval: intervalOf(values.reader_interval ?? ''),
      };
    case 'place': {
      const { time_zone = '', language = '', starts_at = '' } = values;
      const isSame = starts_at === shown.starts_at && time_zone === shown.time_zone;
      return { time_zone, language, ...(isSame ? {} : { starts_at: startOf(starts_at, time_zone) }) };
    }
    default:
      return values;
  }
}

function intervalOf(text: string): number | null {
  if (text === '') return null;
  const { reader_interval_min: least, reader_interval_max: most } = LIMITS;
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < least || seconds > most)
    throw wrong('reader_interval', deskWords.following.intervalWrong(least, most));
  return seconds;
}

/** Of a zone that nobody knows the database says so itself. */
function startOf(local: string, timeZone: string): string | null {
  if (local === '' || !isTimeZone(timeZone)) return null;
  const moment = zonedTime(local, timeZone);
  if (!moment) throw wrong('starts_at', deskWords.make.startsWrong);
  return moment;
}

const wrong = (field: string, sentence: string) => new Refused(refusal('invalid', { field, sentence }));
