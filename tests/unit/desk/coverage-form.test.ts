import { beforeEach, expect, test } from 'vitest';
import { type CoverageForm, makeCoverageForm } from '../../../src/islands/desk/coverage-form.ts';
import { type Desk, makeDesk } from '../../../src/islands/desk/desk.ts';
import type { DeskCoverage } from '../../../src/lib/domain/desk.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';
import { coverage, type FakeDesk, openFakeDesk, person } from '../../support/fake-desk.ts';

let newsroom: FakeDesk;
let desk: Desk;
let form: CoverageForm<string>;

beforeEach(() => {
  newsroom = openFakeDesk();
  newsroom.roster = [{ id: 'editor-id', display_name: 'The editor' }];
  const backend = { publicUrl: '/', publishableKey: 'x' };
  desk = makeDesk(english, { coverage, person: person('editor'), backend, language: 'en' }, newsroom.backend);
  form = makeCoverageForm(desk, ({ headline }) => headline);
});

/** The coverage in the fake backend changes. */
function saveElsewhere(part: Partial<DeskCoverage>): DeskCoverage {
  newsroom.coverage = { ...newsroom.coverage, ...part, version: newsroom.coverage.version + 1 };
  return newsroom.coverage;
}
/** Saves the form. Conflicts are refused as in the database. */
const save = () =>
  form.save(async (headline, { version }) => {
    if (version !== newsroom.coverage.version) throw new Refused(refusal('conflict'));
    return saveElsewhere({ headline });
  }, 'Saved.');

test('shows the current value until something is typed, and again after saving', async () => {
  saveElsewhere({ headline: 'Theirs' });
  await desk.sync.refresh();
  expect(form.$typed.get()).toBe('Theirs');
  form.type('Mine');
  expect(await save()).toBe(true);
  expect(desk.view.$announcement.get()).toBe('Saved.');
  expect(form.$typed.get()).toBe('Mine');
  saveElsewhere({ headline: 'Theirs again' });
  await desk.sync.refresh();
  expect(form.$typed.get()).toBe('Theirs again');
});

test('keeps input that was typed while saving, and saves it over the saved version', async () => {
  form.type('Mine');
  const release = newsroom.hold();
  const saving = save();
  form.type('Mine, and more');
  release();
  expect(await saving).toBe(false);
  expect(form.$typed.get()).toBe('Mine, and more');
  expect(await save()).toBe(true);
  expect(newsroom.coverage.headline).toBe('Mine, and more');
});

test('keeps input that was typed between saving and refetching', async () => {
  form.type('Mine');
  const release = newsroom.hold();
  const saving = save();
  await expect.poll(() => newsroom.coverage.headline).toBe('Mine');
  form.type('Mine, and more');
  release();
  expect(await saving).toBe(false);
  expect(form.$typed.get()).toBe('Mine, and more');
  expect(await save()).toBe(true);
});

test('shows the saved value until the desk has refetched', async () => {
  form.type('Mine');
  newsroom.refuse(500);
  expect(await save()).toBe(false);
  expect(desk.view.$announcement.get()).toBe('Saved.');
  expect(form.$typed.get()).toBe('Mine');
  newsroom.refuse(null);
  saveElsewhere({ headline: 'Theirs' });
  await desk.sync.refresh();
  expect(form.$typed.get()).toBe('Theirs');
});

test("does not overwrite a colleague's save that is newer than the first input", async () => {
  form.type('Mi');
  saveElsewhere({ headline: 'Theirs' });
  await desk.sync.refresh();
  form.type('Mine');
  expect(await save()).toBe(false);
  expect(form.$state.get()).toMatchObject({ step: 'refused', refusal: { code: 'conflict' } });
  expect([newsroom.coverage.headline, form.$typed.get()]).toEqual(['Theirs', 'Mine']);
  expect(desk.view.$announcement.get()).toBe('');
  // The newer value is shown beside the form now.
  expect(await save()).toBe(true);
  expect(newsroom.coverage.headline).toBe('Mine');
});

test('does not overwrite it after another error either', async () => {
  form.type('Mine');
  saveElsewhere({ headline: 'Theirs' });
  await form.save(() => Promise.reject(new Refused(refusal('unavailable'))), 'Saved.');
  expect(desk.$coverage.get().headline).toBe('Theirs');
  expect(await save()).toBe(false);
  expect(newsroom.coverage.headline).toBe('Theirs');
});
