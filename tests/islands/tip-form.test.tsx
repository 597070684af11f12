import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import TipForm from '../../src/islands/TipForm.tsx';
import TipStatusIsland from '../../src/islands/TipStatus.tsx';
import type { TipProgress } from '../../src/lib/data/tips.ts';
import { tips as words } from '../../src/lib/i18n/en/tips.ts';

const backend = { publicUrl: '/', publishableKey: 'sb_publishable_x' };

test('the form is complete without scripts, with values and problems', () => {
  const text = { coverage: 'river', body: '<b>Gate</b>', name: 'Ada', may_be_named: true, contact: '01' };
  const problems = { contact: 'Too long.', photo: words.photoAgain };
  const html = renderToString(
    <TipForm backend={backend} coverage="river" text={text} problems={problems} sentence="No." />,
  );
  expect(html).toMatch(/<form[^>]*action="\/tips"[^>]*encType="multipart\/form-data"[^>]*method="post"/);
  for (const part of [
    '&lt;b&gt;Gate',
    'value="Ada"',
    'value="river"',
    'Too long.',
    words.photoAgain,
    'No.',
  ]) {
    expect(html).toContain(part);
  }
  expect(html).toContain(words.photoPlain);
});

test('a folded form is a link to the page with the form', () => {
  const html = renderToString(<TipForm backend={backend} coverage="river" folded />);
  expect(html).toContain('href="/tips?coverage=river"');
  expect(html).not.toContain('<form');
});

test('a receipt shows the status and the time of the check, and promises no page for an unpublished update', () => {
  const clock = { timeZone: 'Europe/Dublin', language: 'en' };
  const say = (progress: TipProgress) =>
    renderToString(
      <TipStatusIsland receipt="r" outcome={progress} clock={clock} madeAt="2026-11-22T14:02:10Z">
        again
      </TipStatusIsland>,
    );
  expect(say({ state: 'new', used_in: null })).toMatch(/Received, not read yet\..*14:02<.*again/);
  expect(say({ state: 'used', used_in: null })).toContain(words.receipt.toCome);
  expect(say({ state: 'used', used_in: { slug: 'river', number: 3 } })).toContain('href="/live/river/3"');
});
