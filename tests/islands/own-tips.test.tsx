import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import OwnTips from '../../src/islands/OwnTips.tsx';
import { changedTips } from '../../src/lib/data/tips.ts';
import type { PhotoState, Rendition } from '../../src/lib/domain/photos.ts';
import type { OwnTip } from '../../src/lib/domain/tips.ts';
import { ownTips as words } from '../../src/lib/i18n/en/own-tips.ts';

const tip = (more: Partial<OwnTip>): OwnTip => ({
  id: 'a',
  body: 'The <b>lower</b> gate is closed.',
  state: 'new',
  created_at: '2026-11-20T10:00:00Z',
  coverage: { slug: 'river', headline: 'The river rises' },
  used_in: null,
  photo: null,
  ...more,
});

test('the list is complete without scripts: text, state, and link to the update', () => {
  const long = `${'Water stands in the cellar. '.repeat(20)}End.`;
  const tips = [
    tip({ state: 'used', used_in: { slug: 'river', number: 12 } }),
    tip({ id: 'b', state: 'used', body: long, coverage: null }),
    tip({ id: 'c', state: 'declined' }),
  ];
  const html = renderToString(
    <OwnTips
      person="p"
      tips={tips}
      madeAt="2026-11-22T12:00:00Z"
      clock={{ timeZone: 'UTC', language: 'en' }}
      backend={{ publicUrl: '/', publishableKey: 'x' }}
    />,
  );
  expect(html).toContain('The &lt;b&gt;lower');
  expect(html).toContain('href="/live/river"');
  expect(html).toContain(`<b>${words.states.used}</b> <a href="/live/river/12">${words.see}`);
  expect(html).toContain(`<b>${words.unseen}</b>`);
  expect(html).toContain(words.states.declined);
  // A long tip is folded at the end of a word.
  expect(html).toMatch(/Water stands…<\/blockquote><details>/);
  expect(html).toContain('End.</p></details>');
  expect(html).toContain('20 Nov, 10:00');
  expect(html).toContain(words.asOf);
  // Announcements appear in this live region.
  expect(html).toContain('<div role="status" class="status"></div>');
});

test('shows the photo of a tip in its own size, or says why it is not there', () => {
  const photo = (state: PhotoState, renditions: Rendition[] = []) => ({ id: 'p', state, renditions });
  const tips = [
    tip({ photo: photo('uploading') }),
    tip({ id: 'b', photo: photo('refused') }),
    tip({ id: 'c', photo: photo('ready', [{ width: 300, height: 200, bytes: 1 }]) }),
    tip({ id: 'd' }),
  ];
  const html = renderToString(
    <OwnTips
      person="p"
      tips={tips}
      madeAt="2026-11-22T12:00:00Z"
      clock={{ timeZone: 'UTC', language: 'en' }}
      backend={{ publicUrl: '/', publishableKey: 'x' }}
    />,
  );
  expect(html).toContain(words.photo.uploading);
  expect(html).toContain(words.photo.refused);
  expect(html.match(/<img [^>]*>/g)).toEqual([
    `<img src="/account/tips/c/photo" alt="${words.photo.alt}" width="300" height="200" loading="lazy" decoding="async"/>`,
  ]);
});

test('announces a new state or publication, but no unknown or removed tips', () => {
  const used = { slug: 'river', number: 12 };
  const before = [
    tip({}),
    tip({ id: 'b', state: 'used' }),
    tip({ id: 'c', state: 'used', used_in: used }),
    tip({ id: 'd' }),
  ];
  const now = [
    tip({ id: 'e' }),
    tip({ state: 'in_review' }),
    tip({ id: 'b', state: 'used', used_in: used }),
    tip({ id: 'c', state: 'used' }),
    tip({ id: 'd' }),
  ];
  expect(changedTips(before, now).map(({ id }) => id)).toEqual(['a', 'b']);
});
