import { describe, expect, test } from 'vitest';
import type { Block, Body } from '../../../src/lib/domain/body/blocks.ts';
import { byteLength } from '../../../src/lib/domain/cut-text.ts';
import type { ReaderCoverage } from '../../../src/lib/domain/reader-coverage.ts';
import { dayName } from '../../../src/lib/domain/time.ts';
import type { ReaderUpdate } from '../../../src/lib/domain/updates.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { spanish } from '../../../src/lib/i18n/es/all.ts';
import {
  BRIEF_BYTES,
  type BriefSource,
  briefText,
  composeBrief,
} from '../../../src/lib/publishing/coverage-brief.ts';

const said = (text: string): Block => ({ type: 'paragraph', runs: [{ text }] });

const COVERAGE = {
  id: '0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a77',
  slug: 'storm',
  headline: 'The storm',
  standfirst: 'The latest from our reporters.',
  summary: [] as Body,
  summary_at: null,
  state: 'live',
  language: 'en',
  time_zone: 'America/New_York',
  starts_at: null,
  ended_at: null,
} as unknown as ReaderCoverage;

const SITE = { name: 'The Courier', time_zone: 'Europe/Madrid' };
const MADE_AT = new Date('2026-11-28T13:05:10Z');

/** The date in the words of this system's Intl. */
const dayOf = (at: string, language = 'en') => dayName(at, { timeZone: SITE.time_zone, language });
const TODAY = dayOf(MADE_AT.toISOString());

/** An update of a minute before `MADE_AT` for each number below 60. */
const update = (number: number, body: Body, more: Partial<ReaderUpdate> = {}) =>
  ({
    id: `id-${number}`,
    number,
    state: 'published',
    headline: null,
    body,
    key_event: false,
    urgency: 'normal',
    verification: 'confirmed',
    attribution: null,
    published_at: new Date(MADE_AT.getTime() - (60 - number) * 60_000).toISOString(),
    withdrawn_reason: null,
    notes: [],
    photos: [],
    ...more,
  }) as unknown as ReaderUpdate;

type Given = {
  coverage?: Partial<ReaderCoverage>;
  site?: Partial<BriefSource['site']>;
  urgent?: ReaderUpdate[];
  newest?: ReaderUpdate[];
  messages?: BriefSource['messages'];
};

const briefOf = ({ coverage, site, urgent = [], newest = [], messages = english }: Given) =>
  composeBrief({
    messages,
    coverage: { ...COVERAGE, ...coverage },
    site: { ...SITE, ...site },
    content: { urgent, newest },
    madeAt: MADE_AT,
  });
const write = (given: Given) => briefText(briefOf(given));

const LONG = 'The river stands two metres above its usual mark and is still rising. '.repeat(40).trim();
const urgent = (number: number, headline: string | null, text = LONG) =>
  update(number, [said(text)], { headline, urgency: 'urgent' });

describe('the text of a brief', () => {
  test('has name, state, urgent updates, summary, newest updates and the address, in this order', () => {
    const text = write({
      coverage: { summary: [said('The bridge is shut.')], summary_at: '2026-11-28T12:30:00Z' },
      urgent: [urgent(58, 'Leave Quay Street', 'Now.')],
      newest: [
        update(59, [said('More rain.')], { headline: 'Rain' }),
        urgent(58, 'Leave Quay Street', 'Now.'),
        update(57, [said('Ferry at its pier.')]),
      ],
    });
    expect(text).toBe(`The storm
Live. Page as of 14:05 CET, ${TODAY}

14:03 URGENT: Leave Quay Street. Now.

What we know (13:30): The bridge is shut.

14:04 Rain. More rain.
14:02 Ferry at its pier.

All updates at The Courier: http://127.0.0.1:4321/live/storm
`);
  });

  test('is in the language of the coverage and the time zone of the site', () => {
    const text = write({
      messages: spanish,
      coverage: { language: 'es', summary: [said('Puente cerrado.')] },
      newest: [update(59, [said('Lluvia.')], { verification: 'unverified' })],
    });
    expect(text).toContain(`En directo. Versión de las 14:05 CET, ${dayOf(MADE_AT.toISOString(), 'es')}`);
    expect(text).toContain('14:04 Sin verificar: Lluvia.');
    expect(text).toContain('Todas las actualizaciones en The Courier: http');
  });

  test('says that there are no updates, and shows the standfirst for a missing summary', () => {
    expect(write({})).toBe(`The storm
Live. Page as of 14:05 CET, ${TODAY}

The latest from our reporters.

No updates yet.

All updates at The Courier: http://127.0.0.1:4321/live/storm
`);
    expect(write({ coverage: { standfirst: '' } })).not.toContain('\n\n\n');
  });

  test('says when a coverage starts or ended', () => {
    const starts = write({ coverage: { state: 'scheduled', starts_at: '2026-11-29T09:00:00Z' } });
    expect(starts).toContain(
      `Scheduled, starts ${dayOf('2026-11-29T09:00:00Z')}, 10:00. Page as of 14:05 CET`,
    );
    const over = write({
      coverage: { state: 'ended', ended_at: '2026-11-20T23:30:00Z', summary: [said('All safe.')] },
      newest: [urgent(1, 'Leave Quay Street', 'Now.')],
    });
    expect(over).toContain(`Ended, ${dayOf('2026-11-20T23:30:00Z')}, 00:30. Page as of`);
    expect(over).toContain('What happened: All safe.');
    expect(over).toContain('Urgent: Leave Quay Street. Now.');
    expect(write({ coverage: { state: 'ended' } })).not.toContain('No updates');
  });

  test('dates times of another day', () => {
    const text = write({ newest: [update(5, [said('Old.')], { published_at: '2026-11-27T22:59:00Z' })] });
    expect(text).toContain('27 Nov, 23:59 Old.');
  });

  test('marks corrections, clarifications, doubts and sources', () => {
    const noted = (kind: 'correction' | 'clarification', at: string) => ({ version: 2, kind, note: 'N', at });
    const text = write({
      newest: [
        update(59, [said('Two hurt')], {
          notes: [
            noted('correction', '2026-11-28T13:05:00Z'),
            noted('clarification', '2026-11-28T13:06:00Z'),
          ],
        }),
        update(58, [said('Road shut')], { notes: [noted('clarification', '2026-11-27T13:00:00Z')] }),
        update(57, [said('Road flooded')], { verification: 'unverified', attribution: 'Police' }),
        update(56, [said('Wind')], { urgency: 'important' }),
      ],
    });
    expect(text).toContain('14:04 Two hurt (Corrected 14:05)\n');
    expect(text).toContain('14:03 Road shut (Clarified 27 Nov, 14:00)\n');
    expect(text).toContain('14:02 Not verified: Road flooded. Source: Police\n');
    expect(text).toContain('14:01 Important: Wind\n');
  });

  test('keeps the place of a withdrawn update, with its reason', () => {
    const withdrawn = { state: 'withdrawn' as const, urgency: 'urgent' as const };
    const text = write({
      newest: [
        update(59, [], { ...withdrawn, withdrawn_reason: 'Wrong river.' }),
        update(58, [], { ...withdrawn, withdrawn_reason: null }),
      ],
    });
    expect(text).toContain('14:04 Withdrawn: Wrong river.\n14:03 Withdrawn\n');
  });

  test('turns every kind of block into words on one line', () => {
    const photo = { id: 'p1', alt: 'The quay under water', caption: null, credit: null };
    const body: Body = [
      { type: 'list', items: [[{ text: 'one' }], [{ text: 'two', bold: true }]] },
      { type: 'quote', text: 'Stay inside', attribution: 'The mayor' },
      { type: 'link', url: 'https://a.example/', title: 'Map of closures', site: 'a.example' },
      {
        type: 'table',
        caption: 'Shelters',
        rows: [
          [[{ text: 'Place' }], [{ text: 'Beds' }]],
          [[{ text: 'School' }], []],
        ],
        as_of: '2026-11-28T13:00:00Z',
      },
      { type: 'map', name: 'Harrow Bridge', latitude: 53.7, longitude: -0.4 },
      {
        type: 'post',
        url: 'https://b.example/1',
        author: 'Fire service',
        handle: '@fire',
        network: 'Bluesky',
        text: 'Pumps are\non the way.',
        quoted_at: '2026-11-28T13:00:00Z',
      },
      { type: 'media', url: 'https://c.example/1', title: 'The flood from above', description: 'One minute' },
      { type: 'photo', photo: 'p1' },
      { type: 'photo', photo: 'not-ready' },
    ];
    const photos = [photo] as unknown as ReaderUpdate['photos'];
    expect(write({ newest: [update(59, body, { photos })] })).toContain(
      '14:04 one; two. “Stay inside” (The mayor) Map of closures (a.example) ' +
        'Shelters: Place, Beds; School (As of 14:00) [Map of Harrow Bridge] ' +
        '“Pumps are on the way.” (Fire service @fire, Bluesky) The flood from above. One minute. ' +
        '[The quay under water]\n',
    );
  });

  test('leaves out older urgent updates after a day, and never the newest', () => {
    const yesterday = '2026-11-27T13:00:00Z';
    const old = (number: number) => ({
      ...urgent(number, `Urgent ${number}`, 'X.'),
      published_at: yesterday,
    });
    const text = write({ urgent: [old(3), old(2)] });
    expect(text).toContain('Urgent 3');
    expect(text).not.toContain('Urgent 2');
    expect(write({ urgent: [urgent(9, 'Urgent 9'), urgent(8, 'Urgent 8')] })).toContain('Urgent 8');
  });
});

describe('the size of a brief', () => {
  const summary = [said(LONG)];
  const newest = [59, 58, 57, 56, 55].map((number) =>
    update(number, [said(LONG)], { headline: `News ${number}` }),
  );

  test('shortens all texts to one length and says so', () => {
    const text = write({ coverage: { summary }, urgent: [urgent(50, 'Leave now')], newest });
    expect(byteLength(text)).toBeLessThanOrEqual(BRIEF_BYTES);
    expect(byteLength(text)).toBeGreaterThan(BRIEF_BYTES - 120);
    expect(text.match(/…$/gm)).toHaveLength(7);
    for (const { headline } of newest) expect(text).toContain(`${headline}. The river`);
    expect(text).toContain('URGENT: Leave now. The river');
  });

  test('gives the room of short texts to long ones', () => {
    const short = [59, 58, 57, 56].map((number) => update(number, [said('Short.')]));
    const text = write({ newest: [...short, update(55, [said(LONG)])] });
    expect(text.match(/^14:\d\d Short\.$/gm)).toHaveLength(4);
    expect(byteLength(text)).toBeGreaterThan(BRIEF_BYTES - 20);
  });

  test('keeps whole headlines of urgent updates, and leaves out other updates first', () => {
    const headlines = [49, 48, 47, 46, 45].map((number) => `${number} ${'Вода близко '.repeat(9)}`.trim());
    const long = 'Ж'.repeat(119);
    const urgents = headlines.map((headline, n) => urgent(49 - n, headline));
    const text = write({ coverage: { summary, headline: long }, urgent: urgents, newest });
    expect(byteLength(text)).toBeLessThanOrEqual(BRIEF_BYTES);
    for (const headline of headlines) expect(text).toContain(`URGENT: ${headline}`);
    expect(text).toContain(long);
    expect(text).not.toContain('News 55');
    expect(text.indexOf('…\n\nAll updates')).toBeGreaterThan(0);
  });

  test('leaves out the oldest urgent updates if nothing else is left', () => {
    const wide = (number: number) => `${number}${'😀'.repeat(118)}`;
    const text = write({
      coverage: { summary },
      urgent: [49, 48, 47, 46, 45].map((number) => urgent(number, wide(number))),
      newest,
    });
    expect(byteLength(text)).toBeLessThanOrEqual(BRIEF_BYTES);
    expect(text).toContain(wide(49));
    expect(text).toContain(wide(48));
    expect(text).not.toContain('45😀');
    expect(text).not.toContain('News');
    expect(text).not.toContain('What we know');
  });

  test('cuts the headline of the coverage before that of the newest urgent update', () => {
    const text = write({
      coverage: { headline: '🌊 '.repeat(60).trim() + '🌊'.repeat(60), slug: 'x'.repeat(80), summary },
      site: { name: '報'.repeat(160) },
      urgent: [urgent(49, '😀'.repeat(120)), urgent(48, '😀'.repeat(120))],
      newest,
    });
    expect(byteLength(text)).toBeLessThanOrEqual(BRIEF_BYTES);
    expect(text).toContain(`URGENT: ${'😀'.repeat(120)}`);
    expect(text).toMatch(/^(?:🌊 )+🌊…\n/);
    expect(text).toContain(`/live/${'x'.repeat(80)}\n`);
  });

  test('shows the beginning of an urgent update without a headline', () => {
    const text = write({
      urgent: [49, 48, 47, 46, 45].map((number) => urgent(number, null)),
      newest,
      coverage: { summary },
    });
    expect(byteLength(text)).toBeLessThanOrEqual(BRIEF_BYTES);
    expect(
      text.match(/URGENT: The river stands two metres above its usual mark and is still rising\b/g),
    ).toHaveLength(5);
  });

  test('fits with texts of every length, script and direction', () => {
    const texts = ['word', '👩‍👩‍👧‍👦', 'a\u0301\u0323', 'שלום', '水位が上がる', 'x'.repeat(400), '\u202Eabc'];
    for (const text of texts) {
      for (const repeats of [1, 7, 40, 400]) {
        const body = [said(`${text} `.repeat(repeats)), said(text.repeat(repeats))];
        const headline = [...`${text} `.repeat(repeats)].slice(0, 120).join('').trim();
        const given = {
          coverage: { headline, summary: body, language: 'he' },
          urgent: [49, 48, 47, 46, 45].map((n) => update(n, body, { headline, urgency: 'urgent' as const })),
          newest: [59, 58, 57, 56, 55].map((n) => update(n, body, { headline })),
        };
        const brief = write(given);
        expect(byteLength(brief), `${text} ×${repeats}`).toBeLessThanOrEqual(BRIEF_BYTES);
        expect(brief, `${text} ×${repeats}`).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
        expect(brief.isWellFormed()).toBe(true);
      }
    }
  });
});
