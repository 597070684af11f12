import type { Role } from '../auth/permissions.ts';
import { audit as words } from '../text/audit.ts';
import { desk } from '../text/desk.ts';
import type { Told } from '../text/en/audit.ts';
import { currentLanguage } from '../text/language.ts';
import type { Clock } from '../time/clock.ts';
import { timeBeside } from '../time/days.ts';
import type { LogEntry } from './read.ts';

/**
 * An entry of the log in words: *Ana made Ben editor, who was reporter*.
 * @param invited names by invitations
 */
export function sentenceOf(entry: LogEntry, invited: Map<string, string>, clock: Clock): string {
  const { action, by, detail, subject_id } = entry;
  const until = text(detail.until);
  const told: Told = {
    by: by === null ? words.server : (entry.by_name ?? words.somebody),
    person: entry.person_name ?? (invited.get(subject_id ?? '') || words.somebody),
    coverage: entry.coverage_headline ?? entry.coverage_slug ?? words.something,
    from: standing(action, text(detail.from)),
    to: standing(action, text(detail.to)),
    role: roleName(text(detail.role)),
    until: until && timeBeside(until, entry.at, clock),
    number: text(detail.number),
    version: text(detail.version),
    fields: fieldNames(detail.fields),
    slug: text(detail.slug),
    ends: detail.ends === true,
  };
  const says = isKnown(action) ? words.says[action] : undefined;
  return says ? says(told) : words.other(told, action.replaceAll('_', ' '));
}

export type Action = keyof typeof words.says;
export const isKnown = (action: string): action is Action => Object.hasOwn(words.says, action);

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const roleName = (name: string): string => desk.roles[name as Role] ?? name;

/** What somebody or something was or became. */
function standing(action: string, value: string): string {
  const names: Partial<Record<string, Record<string, string>>> = {
    set_role: desk.roles,
    set_coverage_state: desk.states,
    set_surge: words.surge,
  };
  return names[action]?.[value] ?? value;
}

function fieldNames(fields: unknown): string {
  const names: Record<string, string> = words.fields;
  const known = Array.isArray(fields) ? fields.map((field) => names[String(field)] ?? String(field)) : [];
  return new Intl.ListFormat(currentLanguage()).format(known);
}
