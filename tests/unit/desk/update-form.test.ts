import fc from 'fast-check';
import { expect, test } from 'vitest';
import { movePhoto, photoProblems, updatePhotoTexts } from '../../../src/lib/data/photo-form.ts';
import {
  EMPTY_FORM,
  formBody,
  formContent,
  formOf,
  formProblems,
  isBlank,
  mergeForms,
} from '../../../src/lib/data/update-form.ts';
import type { Block, Body } from '../../../src/lib/domain/body/blocks.ts';
import { photoMarkerRange, withoutPhotoMarker } from '../../../src/lib/domain/body/photo-markers.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { updateContent } from '../../../src/lib/domain/updates.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { desk } from '../../../src/lib/i18n/en/desk.ts';
import { deskPhotos } from '../../../src/lib/i18n/en/photos.ts';
import { published } from '../../support/fake-desk.ts';

test('an update is unchanged after opening and saving, including fields that the form does not show', () => {
  const update = published(4, {
    headline: 'Gates closed',
    body: [
      { type: 'paragraph', runs: [{ text: 'They are ' }, { text: 'closed', bold: true }] },
      { type: 'link', url: 'https://e.example/a', title: 'The notice', site: 'Council' },
      { type: 'photo', photo: 'd0000000-0000-4000-8000-000000000000' },
    ],
    verification: 'developing',
    occurred_at: '2026-11-21T09:00:31+00:00',
    attribution: 'The council',
    desk_note: 'Call back.',
    dateline: 'Harrow Bridge',
    urgency: 'urgent',
    key_event: true,
  });
  for (const zone of ['Asia/Kathmandu', 'Europe/London']) {
    expect(formContent(formOf(english, update, zone), zone, update)).toEqual(updateContent(update));
  }
  expect(
    formContent({ ...formOf(english, update, 'UTC'), occurred_at: '2026-11-21T09:01' }, 'UTC', update)
      .occurred_at,
  ).toBe('2026-11-21T09:01:00.000Z');
});

test('a new update contains what was typed, and null for the rest', () => {
  expect(formContent({ ...EMPTY_FORM, body: 'Words', headline: '  ' }, 'UTC')).toEqual({
    headline: null,
    body: [{ type: 'paragraph', runs: [{ text: 'Words' }] }],
    key_event: false,
    urgency: 'normal',
    verification: 'confirmed',
    attribution: null,
    desk_note: null,
    dateline: null,
    occurred_at: null,
    bylines: [],
  });
});

test('a form is blank until something is typed', () => {
  expect(isBlank({ ...EMPTY_FORM, body: ' \n', key_event: true })).toBe(true);
  expect(isBlank({ ...EMPTY_FORM, desk_note: 'x' })).toBe(false);
});

test('checks limits in characters before the database does', () => {
  const content = (part: Partial<typeof EMPTY_FORM>) =>
    formContent({ ...EMPTY_FORM, body: 'x', ...part }, 'UTC');
  expect(formProblems(english, content({ body: ' ' }), 1)).toEqual({ body: desk.problems.empty });
  expect(formProblems(english, content({ body: ' ' }), 0)).toEqual({});
  expect(formProblems(english, content({ headline: '🌊'.repeat(120) }), 1)).toEqual({});
  expect(formProblems(english, content({ headline: '🌊'.repeat(121) }), 1)).toEqual({
    headline: desk.problems.tooLong(121, 120),
  });
  expect(formProblems(english, content({ body: 'x'.repeat(10_000) }), 1)).toEqual({});
  expect(formProblems(english, content({ body: 'x'.repeat(10_001) }), 1)).toEqual({
    body: desk.problems.tooLong(10_001, 10_000),
  });
  expect(formProblems(english, content({ body: 'x\n'.repeat(41) }), 1)).toEqual({
    body: desk.problems.blocks(41, 40),
  });
  const map = (name: string, where: string) => content({ body: `[${name}](geo:${where})` });
  expect(formProblems(english, map('🌊'.repeat(80), '90,-180?z=18'), 1)).toEqual({});
  const problem = { body: desk.problems.map(80) };
  expect(formProblems(english, map('🌊'.repeat(81), '90,-180'), 1)).toEqual(problem);
  expect(formProblems(english, map('', '90,-180'), 1)).toEqual(problem);
  expect(formProblems(english, map('x', '90.1,0'), 1)).toEqual(problem);
});

test('photos follow the text, need alt texts before publication, and can be reordered', () => {
  const [one, two] = ['one', 'two'].map((id) => ({ id, alt: 'A gate', caption: '', credit: '' }));
  if (!one || !two) throw new Error('The form has two photos.');
  const form = { ...EMPTY_FORM, body: 'Words', photos: [one, two] };
  expect(formContent(form, 'UTC').body.slice(1)).toEqual([
    { type: 'photo', photo: 'one' },
    { type: 'photo', photo: 'two' },
  ]);
  expect(isBlank({ ...EMPTY_FORM, photos: [one] })).toBe(false);
  const silent = updatePhotoTexts(form.photos, 'two', { alt: ' ' });
  const both = ['one', 'two'];
  expect(photoProblems(english, silent, true, both)).toEqual({
    two: { field: 'alt', sentence: deskPhotos.noAlt(2, 2) },
  });
  expect(photoProblems(english, silent, true, ['one']), 'of one that is refused').toEqual({});
  expect(photoProblems(english, silent, false, both)).toEqual({});
  expect(
    photoProblems(english, updatePhotoTexts(silent, 'one', { alt: '🌊'.repeat(250) }), false, both),
  ).toEqual({});
  const wordy = updatePhotoTexts(silent, 'one', { credit: 'x'.repeat(LIMITS.credit + 1) });
  expect(photoProblems(english, wordy, true, both)).toEqual({
    one: {
      field: 'credit',
      sentence: deskPhotos.tooLong(1, deskPhotos.credit, LIMITS.credit + 1, LIMITS.credit),
    },
    two: { field: 'alt', sentence: deskPhotos.noAlt(2, 2) },
  });
  expect(movePhoto(form.photos, 'two', -1)).toEqual([two, one]);
  expect(movePhoto(form.photos, 'two', 1)).toEqual([one, two]);
});

const paragraph = (text: string): Block => ({ type: 'paragraph', runs: [{ text }] });
const photoBlock = (photo: string): Block => ({ type: 'photo', photo });
const photoOf = (id: string) => ({ id, alt: '', caption: '', credit: '' });

test('photos stand at their markers, or after the text', () => {
  const photos = ['one', 'two', 'three'].map(photoOf);
  const read = (body: string) => formBody({ body, photos, links: [] }, 'UTC');
  expect(read('A\n[photo 2]\n- b\n [Foto 1] \nC')).toEqual([
    paragraph('A'),
    photoBlock('two'),
    { type: 'list', ordered: false, items: [[{ text: 'b' }]] },
    photoBlock('one'),
    paragraph('C'),
    photoBlock('three'),
  ]);
  const unmatched = ['[photo 4]', '[photo 2]', 'x [photo 1]'];
  expect(read(`[photo 2]\n${unmatched.join('\n')}`).slice(1, 4), 'names nothing').toEqual(
    unmatched.map(paragraph),
  );
  expect(photoMarkerRange('A\n\n[photo 1]\n\nB', 0)).toEqual({ from: 3, to: 14 });
  expect(photoMarkerRange('A', 0)).toBe(null);
});

test('a body is unchanged after opening and saving, wherever its photos stand', () => {
  const block = fc.constantFrom(
    paragraph('[photo 1]'),
    paragraph('a_b & c * d [e]'),
    paragraph('1. x'),
    { type: 'list' as const, ordered: false, items: [[{ text: '[photo 2]' }], [{ text: '* y' }]] },
    { type: 'quote' as const, text: 'z\n—' },
    photoBlock('one'),
    photoBlock('two'),
    photoBlock('three'),
  );
  const bodies = fc
    .array(block, { maxLength: 7 })
    .map((body): Body => body.filter((each, at) => each.type !== 'photo' || body.indexOf(each) === at));
  fc.assert(
    fc.property(bodies, (body) => {
      expect(formBody(formOf(english, published(1, { body }), 'UTC'), 'UTC')).toEqual(body);
    }),
  );
});

test('removing a photo removes its marker, and merged versions keep their own photos', () => {
  expect(withoutPhotoMarker('[photo 1]\nA\n[photo 2]\n[photo 3]', 1)).toBe('[photo 1]\nA\n[photo 2]');
  const form = (body: string, ...ids: string[]) => ({ ...EMPTY_FORM, body, photos: ids.map(photoOf) });
  const both = mergeForms(form('A\n\n[photo 1]\n\nB', 'x'), form('[photo 2]\n[photo 1]\nC', 'x', 'y'));
  expect(formBody(both, 'UTC')).toEqual([
    paragraph('A'),
    photoBlock('x'),
    paragraph('B'),
    photoBlock('y'),
    paragraph('C'),
  ]);
  const content = formContent(both, 'UTC', undefined, both.photos.slice(1));
  expect(content.body, 'one that cannot become a photo').toEqual([
    paragraph('A'),
    paragraph('B'),
    photoBlock('y'),
    paragraph('C'),
  ]);
});
