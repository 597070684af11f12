import { describe, expect, test } from 'vitest';
import { urgentAfterSummary } from '../../../src/lib/domain/desk.ts';
import type { DeskUpdate } from '../../../src/lib/domain/updates.ts';
import { coverage } from '../../support/fake-desk.ts';

const [EARLIER, SUMMARY, LATER, LATEST] = ['05:30', '05:36', '06:01', '06:10'].map(
  (time) => `2026-11-23T${time}:00+00:00`,
) as [string, string, string, string];

const update = (changes: Partial<DeskUpdate>) =>
  ({ state: 'published', urgency: 'urgent', published_at: LATEST, ...changes }) as DeskUpdate;

const reminder = (changes: Partial<typeof coverage>, updates: DeskUpdate[] = []) =>
  urgentAfterSummary({ ...coverage, summary_at: SUMMARY, urgent_at: LATER, ...changes }, updates);

describe('the reminder to check the summary', () => {
  test('names the newest urgent update after the summary, also one that only the list has', () => {
    expect(reminder({})).toBe(LATER);
    expect(reminder({}, [update({})])).toBe(LATEST);
    expect(reminder({ urgent_at: null }, [update({})])).toBe(LATEST);
  });

  test('does not appear for an older urgent update, drafts or other updates', () => {
    expect(reminder({ urgent_at: EARLIER })).toBeNull();
    const others = [
      update({ state: 'draft' }),
      update({ state: 'withdrawn' }),
      update({ urgency: 'important' }),
    ];
    expect(reminder({ urgent_at: null }, others)).toBeNull();
  });

  test('does not appear without a summary or after the end', () => {
    expect(reminder({ summary: [] })).toBeNull();
    expect(reminder({ state: 'ended' })).toBeNull();
    expect(reminder({ state: 'paused' })).toBe(LATER);
  });
});
