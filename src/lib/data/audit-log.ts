import { LIMITS } from '../domain/limits.ts';
import { utcFromLocal } from '../domain/local-time.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import type { Role } from '../domain/permissions.ts';
import { type Clock, shortTime } from '../domain/time.ts';
import type { LogSentenceValues } from '../i18n/en/people.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused } from '../i18n/refusals.ts';
import { type BackendClient, dataOf } from './result.ts';

/* The audit log for owners. All reads use the caller's permissions. */

/** Filters of the log, from the query parameters. An empty string means no filter. */
type LogFilters = ReturnType<typeof readLogFilters>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isDay = (value: string) => DAY.test(value) && !Number.isNaN(Date.parse(value));

export function readLogFilters(url: URL) {
  const parameter = (name: string, fits: (value: string) => boolean) => {
    const value = url.searchParams.get(name) ?? '';
    return fits(value) ? value : '';
  };
  return {
    person: parameter('person', isUuid),
    action: parameter('action', (value) => /^[a-z_]{1,40}$/.test(value)),
    coverage: parameter('coverage', isUuid),
    /** First and last day in the site's time zone, `2026-11-21`. */
    since: parameter('since', isDay),
    until: parameter('until', isDay),
    /** Id of the entry to continue after. */
    before: parameter('before', (value) => /^\d{1,15}$/.test(value)),
  };
}

/** Path of the log with these filters. */
export function logPath(filters: Partial<LogFilters>): string {
  return pathWith(
    '/desk/people/log',
    Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, value || null])),
  );
}

/**
 * Returns a page of the log, newest first. Falls back to the first page if the entry to continue after does not
 * exist.
 * @param clock clock of the site
 * @throws Refused `forbidden` unless the caller is an owner
 */
export async function readLog(backend: BackendClient, filters: LogFilters, clock: Clock): Promise<LogPage> {
  return readPage(backend, filters, clock).catch((error) => {
    const isUnknown = error instanceof Refused && error.refusal.code === 'not_found';
    if (!isUnknown || !filters.before) throw error;
    return readPage(backend, { ...filters, before: '' }, clock);
  });
}

type LogPage = { rows: LogEntry[]; more: boolean };

async function readPage(backend: BackendClient, filters: LogFilters, clock: Clock): Promise<LogPage> {
  const { person, action, coverage, since, until, before } = filters;
  const rows = await dataOf(
    backend.rpc('desk_log', {
      ...(person && { person }),
      ...(action && { action_name: action }),
      ...(coverage && { coverage }),
      ...(since && { from_time: dayStart(since, clock) }),
      ...(until && { until_time: dayStart(dayAfter(until), clock) }),
      ...(before && { before: Number(before) }),
      max_rows: LIMITS.log_page + 1,
    }),
  );
  return { rows: rows.slice(0, LIMITS.log_page) as LogEntry[], more: rows.length > LIMITS.log_page };
}

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

const dayStart = (day: string, { timeZone }: Clock): string | undefined =>
  utcFromLocal(`${day}T00:00`, timeZone) ?? undefined;

/** A log entry with the current names of people and coverages. */
type LogEntry = {
  id: number;
  created_at: string;
  created_by: string | null;
  by_name: string | null;
  action: string;
  subject: string;
  subject_id: string | null;
  detail: Record<string, unknown>;
  person_id: string | null;
  person_name: string | null;
  coverage_id: string | null;
  coverage_slug: string | null;
  coverage_headline: string | null;
};

/** Returns the names of invited people by invite id. Expired invites may be deleted already. */
export async function readInvitedNames(
  backend: BackendClient,
  entries: LogEntry[],
): Promise<Map<string, string>> {
  const ids = entries.flatMap(({ subject, subject_id }) =>
    subject === 'invite' && subject_id ? [subject_id] : [],
  );
  if (ids.length === 0) return new Map();
  const rows = await dataOf(
    backend
      .from('desk_invites')
      .select('id, name')
      .in('id', [...new Set(ids)]),
  );
  return new Map(rows.map(({ id, name }) => [String(id), String(name)]));
}

/** Returns the staff, for the filter by person. */
export async function readLogPeople(backend: BackendClient) {
  const rows = await dataOf(backend.rpc('desk_people', { max_rows: LIMITS.people_per_page }));
  return rows
    .filter(({ role }) => role !== 'reader')
    .map(({ id, display_name }) => ({ id, name: display_name }));
}

/** Returns the newest coverages, for the filter by coverage. */
export async function readLogCoverages(backend: BackendClient) {
  return dataOf(
    backend.from('coverages').select('id, headline').order('published_at', { ascending: false }).limit(100),
  );
}

/**
 * Describes a log entry in a sentence: *Ana made Ben editor, who was reporter*.
 * @param invited names of invited people by invite id
 */
export function logSentence(
  messages: Messages,
  entry: LogEntry,
  invited: Map<string, string>,
  clock: Clock,
): string {
  const { action, created_by, detail, subject_id } = entry;
  const until = text(detail.until);
  const values: LogSentenceValues = {
    by: created_by === null ? messages.audit.server : (entry.by_name ?? messages.audit.unknownPerson),
    person: entry.person_name ?? (invited.get(subject_id ?? '') || messages.audit.unknownPerson),
    coverage: entry.coverage_headline ?? entry.coverage_slug ?? messages.audit.something,
    from: stateName(messages, action, text(detail.from)),
    to: stateName(messages, action, text(detail.to)),
    role: roleName(messages, text(detail.role)),
    until: until && shortTime(until, entry.created_at, clock),
    number: text(detail.number),
    version: text(detail.version),
    fields: fieldNames(messages, detail.fields),
    slug: text(detail.slug),
    ends: detail.ends === true,
  };
  const sentence = isLogAction(messages, action) ? messages.audit.sentences[action] : undefined;
  return sentence ? sentence(values) : messages.audit.other(values, action.replaceAll('_', ' '));
}

type LogAction = keyof Messages['audit']['sentences'];
const isLogAction = (messages: Messages, action: string): action is LogAction =>
  Object.hasOwn(messages.audit.sentences, action);

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const roleName = (messages: Messages, name: string): string => messages.desk.roles[name as Role] ?? name;

/** Returns the display name of a state that an entry mentions. */
function stateName(messages: Messages, action: string, value: string): string {
  const names: Partial<Record<string, Record<string, string>>> = {
    set_role: messages.desk.roles,
    set_coverage_state: messages.desk.states,
    set_surge: messages.audit.surge,
  };
  return names[action]?.[value] ?? value;
}

function fieldNames(messages: Messages, fields: unknown): string {
  const names: Record<string, string> = messages.audit.fields;
  const known = Array.isArray(fields) ? fields.map((field) => names[String(field)] ?? String(field)) : [];
  return new Intl.ListFormat(messages.language).format(known);
}
