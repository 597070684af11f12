import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { BodyBlocks } from '../../../src/islands/update/BodyBlocks.tsx';
import type { Table } from '../../../src/lib/domain/body/blocks.ts';
import {
  presetNamed,
  shareOf,
  stateOf,
  TABLE_PRESETS,
  type TablePreset,
} from '../../../src/lib/domain/body/table-presets.ts';
import { shortTime } from '../../../src/lib/domain/time.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { spanish } from '../../../src/lib/i18n/es/all.ts';

describe('presetNamed', () => {
  test.each([english, spanish])('knows the names in $language', ({ corrections, composer }) => {
    for (const preset of TABLE_PRESETS) {
      expect(presetNamed(corrections.difference.presets[preset])).toBe(preset);
      expect(composer.tables.columns[preset]).toHaveLength(3);
    }
  });
  test.each(['', 'toString', 'league'])('knows no preset %j', (name) =>
    expect(presetNamed(name)).toBeUndefined(),
  );
});

test.each([
  ['41.2 %', 41.2],
  ['41,2%', 41.2],
  [' 7 % ', 7],
  ['100%', 100],
  ['100.1 %', undefined],
  ['41', undefined],
  ['-3 %', undefined],
  ['about 41 %', undefined],
  [`${'9'.repeat(10_000)} %`, undefined],
])('reads the share of %j', (text, share) => expect(shareOf(text)).toBe(share));

test.each([
  ['closed until 18:00', 'closed'],
  ['Cerrada', 'closed'],
  ['full', 'closed'],
  ['Restricted', 'restricted'],
  ['open', undefined],
  ['fully open', undefined],
  ['not closed', undefined],
])('reads the state of %j', (text, state) => expect(stateOf(text)).toBe(state));

const tableOf = (preset: TablePreset | undefined, ...rows: string[][]): Table => ({
  type: 'table',
  rows: rows.map((cells) => cells.map((text) => (text ? [{ text }] : []))),
  ...(preset && { preset }),
});
const clock = { timeZone: 'Europe/Madrid', language: 'es' };
const html = (table: Table, more: object = {}) =>
  renderToStaticMarkup(createElement(BodyBlocks, { messages: spanish.reader, body: [table], ...more }));

describe('a table', () => {
  test('of results has a bar of the share, and the share as text', () => {
    expect(html(tableOf('results', ['Party', 'Share'], ['40 %', '41.2 %']))).toContain(
      '<td>40 %</td><td class="percent">41.2 %<svg width="41.2%" height="0" aria-hidden="true"></svg></td>',
    );
    expect(html(tableOf(undefined, ['Party', 'Share'], ['A', '41.2 %']))).not.toContain('svg');
  });

  test('of a score is marked for large type', () => {
    expect(html(tableOf('score', ['Home', 'Score', 'Away'], ['A', '2–1', 'B']))).toContain(
      'class="table score"',
    );
  });

  test.each(['closures', 'shelters'] as const)(
    'of %s sets off the words that say who cannot pass',
    (preset) => {
      const markup = html(tableOf(preset, ['Place', 'State'], ['Closed Lane', 'closed'], ['Quay', 'open']));
      expect(markup).toContain('<td>Closed Lane</td><td><b class="closed">closed</b></td>');
      expect(markup).toContain('<td>open</td>');
    },
  );

  test('shows the time of its data in the zone, with its date if that is another one', () => {
    const table = { ...tableOf(undefined, ['A'], ['1']), source: 'Port', as_of: '2026-11-28T13:02:00Z' };
    const at = (reference: string) =>
      html(table, { formatTime: (time: string) => shortTime(time, reference, clock) });
    expect(at('2026-11-28T10:00:00Z')).toContain(
      `<figcaption><cite>Port</cite> · ${spanish.reader.asOf} <time dateTime="2026-11-28T13:02:00Z">14:02</time></figcaption>`,
    );
    expect(at('2026-11-27T10:00:00Z')).toContain('>28 nov, 14:02<');
  });

  test('says since when its address cannot be read, on pages and in feeds', () => {
    const stale = { as_of: '2026-11-28T13:02:00Z', csv: 'https://port.example/a.csv', stale: true } as const;
    const table = { ...tableOf(undefined, ['A'], ['1']), ...stale };
    const time = (at: string) => shortTime(at, '2026-11-28T10:00:00Z', clock);
    const note =
      '<figcaption><b>Hora de los datos: <time dateTime="2026-11-28T13:02:00Z">14:02</time>; sin actualizar desde entonces</b></figcaption>';
    expect(html(table, { formatTime: time })).toContain(note);
    expect(html(table, { formatTime: time, plain: 'ltr' })).toContain(note);
    expect(html({ ...table, source: 'Port' }, { formatTime: time })).toContain('<cite>Port</cite> · <b>Hora');
    expect(html({ ...table, stale: undefined }, { formatTime: time })).not.toContain('sin actualizar');
  });

  test('has neither bars nor classes in feeds, and aligns by attribute in the direction of the text', () => {
    const table = {
      ...tableOf('results', ['Party', 'Share'], ['A', '41 %']),
      align: ['center', 'end'] as const,
    };
    const plain = (direction: string) => html(table as unknown as Table, { plain: direction });
    expect(plain('ltr')).toBe(
      '<figure><table><thead><tr><th scope="col" align="center">Party</th><th scope="col" align="right">Share</th></tr></thead>' +
        '<tbody><tr><td align="center">A</td><td align="right">41 %</td></tr></tbody></table></figure>',
    );
    expect(plain('rtl')).toContain('<td align="left">41 %</td>');
  });
});
