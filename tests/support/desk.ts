import type { DeskCoverage } from '../../src/lib/domain/desk-coverages.ts';
import type { DeskPerson } from '../../src/lib/domain/permissions.ts';
import type { DeskUpdate } from '../../src/lib/domain/updates.ts';

/** A live coverage as its desk reads it. */
export const coverage: DeskCoverage = {
  id: 'c0000000-0000-4000-8000-000000000000',
  slug: 'storm',
  kicker: 'Weather',
  headline: 'The storm',
  state: 'live',
  time_zone: 'Europe/Dublin',
  language: 'en',
  starts_at: null,
  pinned_update: null,
  update_count: 3,
  version: 1,
  reader_follow: null,
  reader_interval: null,
  quiet_since: null,
  summary: [{ type: 'paragraph', runs: [{ text: 'It blows.' }] }],
};

/** Somebody at the desk. */
export const person = (role: DeskPerson['role'], member = false): DeskPerson => ({
  id: `${role}-id`,
  handle: role,
  display_name: `The ${role}`,
  role,
  member,
});

let made = 0;

/** An update by a reporter, a draft unless something else is said. */
export function deskUpdate(part: Partial<DeskUpdate> = {}): DeskUpdate {
  made += 1;
  const id = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
  return {
    id,
    coverage_id: coverage.id,
    number: null,
    state: 'draft',
    headline: null,
    body: [{ type: 'paragraph', runs: [{ text: `Words ${made}` }] }],
    key_event: false,
    urgency: 'normal',
    verification: 'confirmed',
    attribution: null,
    desk_note: null,
    dateline: null,
    author: 'reporter-id',
    filed_by: 'reporter-id',
    published_by: null,
    occurred_at: null,
    filed_at: '2026-11-21T10:00:00+00:00',
    scheduled_for: null,
    schedule_refusal: null,
    published_at: null,
    revised_at: null,
    corrected_at: null,
    withdrawn_at: null,
    withdrawn_reason: null,
    version: 1,
    seq: null,
    bylines: [{ id: 'reporter-id', handle: 'reporter', display_name: 'The reporter' }],
    photos: [],
    ...part,
  };
}

/** A published one, with this number. */
export const published = (number: number, part: Partial<DeskUpdate> = {}): DeskUpdate =>
  deskUpdate({ number, state: 'published', published_at: '2026-11-21T11:00:00+00:00', seq: number, ...part });
