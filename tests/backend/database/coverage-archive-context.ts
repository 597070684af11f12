import { afterAll, beforeAll } from 'vitest';
import { type Call, openTestDatabase, SERVER, type TestDatabase } from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';

/* Importing a coverage folder: what is accepted and refused, and what remains after an interrupted import. */

export let database: TestDatabase;

export let made = 0;

/** A new id. Ids are sequential, so that tests can name those of a folder. */
export const id = () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`;

export const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.123456Z`;

export type Folder = ReturnType<typeof folder>;

/** The content of a small coverage folder: one corrected update, one withdrawn, and one unchanged. */
export function folder() {
  const coverage = id();
  const person = { id: id(), handle: `ada-${made}`, display_name: 'Ada Reporter', bio: '' };
  const says = (text: string) => ({
    headline: null as string | null,
    body: [paragraph(text)],
    key_event: false,
    urgency: 'normal',
    verification: 'confirmed',
    attribution: null as string | null,
    dateline: null as string | null,
    occurred_at: null as string | null,
    bylines: [person.id],
  });
  const version = (n: number, more: object = {}) => ({
    version: n,
    kind: 'revision',
    at: at(n),
    note: null as string | null,
    redacted_at: null as string | null,
    redacted_reason: null as string | null,
    content: null as unknown,
    ...more,
  });
  const update = (number: number, seq: number, text: string, more: object = {}) => ({
    number,
    id: id(),
    state: 'published',
    published_at: at(number),
    revised_at: null as string | null,
    corrected_at: null as string | null,
    withdrawn_at: null as string | null,
    withdrawn_reason: null as string | null,
    ...says(text),
    photos: [] as string[],
    seq,
    version: 1,
    versions: [version(1)],
    ...more,
  });
  const updates = [
    update(1, 5, 'The fourth step.', {
      version: 3,
      revised_at: at(9),
      corrected_at: at(9),
      versions: [
        version(2, { content: says('The third step.') }),
        version(3, { kind: 'correction', note: 'It was the fourth.' }),
      ],
    }),
    update(2, 6, '', {
      state: 'withdrawn',
      version: 2,
      withdrawn_at: at(8),
      withdrawn_reason: 'Not true.',
      body: [],
      bylines: [],
      versions: [],
    }),
    update(3, 4, 'The last one.'),
  ];
  const change = (seq: number, kind: string, number: number | null) => ({ seq, kind, at: at(seq), number });
  return {
    head: {
      format: 'stoppress-coverage',
      version: 1,
      coverage: {
        id: coverage,
        slug: `folder-${made}`,
        kicker: '',
        headline: 'What a folder says',
        standfirst: '',
        summary: [],
        summary_at: null as string | null,
        state: 'ended',
        time_zone: 'UTC',
        language: 'en',
        starts_at: null as string | null,
        published_at: at(0) as string | null,
        revised_at: null as string | null,
        last_published_at: at(3),
        ended_at: at(20) as string | null,
        pinned_update: updates[2]?.id as string | null,
        reader_follow_mode: null,
        check_interval_seconds: null,
        update_count: 3,
        seq: 8,
        version: 2,
      } as Record<string, unknown>,
      slugs: [{ slug: `folder-${made}`, since: at(0) }],
      topics: [{ id: id(), slug: `topic-${made}`, name: 'Rivers', description: '' }],
      people: [person],
      photos: [] as object[],
    },
    updates,
    changes: [
      change(1, 'state', null),
      change(2, 'publication', 1),
      change(3, 'publication', 2),
      change(4, 'publication', 3),
      change(5, 'correction', 1),
      change(6, 'withdrawal', 2),
      change(7, 'pin', 3),
      change(8, 'state', null),
    ],
  };
}

export const idOf = ({ head }: Folder) => head.coverage.id as string;

/** The calls that import a folder. */
export const calls = (given: Folder, instead?: string): Call[] => [
  ['begin_coverage_import', { content: given.head, ...(instead && { other_slug: instead }) }],
  ['import_coverage_updates', { coverage_id: idOf(given), items: given.updates }],
  ['import_coverage_changes', { coverage_id: idOf(given), items: given.changes }],
  ['finish_coverage_import', { coverage_id: idOf(given) }],
];

export const bring = (given: Folder, instead?: string) => database.call(SERVER, ...calls(given, instead));

/** Row counts of everything that an import could leave. */
export async function left(): Promise<unknown> {
  const tables = [
    'public.coverages',
    'public.coverage_slugs',
    'public.coverage_topics',
    'public.topics',
    'public.people',
    'public.photos',
    'public.updates',
    'public.update_revisions',
    'public.update_bylines',
    'public.update_photos',
    'public.coverage_changes',
    'private.coverage_imports',
    'private.update_words',
    'private.search_index',
    'public.audit_log',
    'public.alerts',
  ];
  const [row] = await database.rows<Record<string, string>>(
    `select ${tables.map((table) => `(select count(*) from ${table})::text as "${table}"`).join(', ')}`,
  );
  return row;
}

export const first = (given: Folder) => given.updates[0] as Folder['updates'][0];

/** Prepares a database for the tests of a file. */
export function useDatabase(): void {
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
}
