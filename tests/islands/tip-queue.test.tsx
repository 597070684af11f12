import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CoverageControls } from '../../src/islands/CoverageControls.tsx';
import { TipQueue } from '../../src/islands/TipQueue.tsx';
import { INITIAL_WINDOW, type QueueTip } from '../../src/lib/data/tip-queue.ts';
import { deskList } from '../../src/lib/i18n/en/desk-list.ts';
import { tipQueue as words } from '../../src/lib/i18n/en/tip-queue.ts';
import { coverage, person, queueTip } from '../support/fake-desk.ts';

const backend = { publicUrl: '/', publishableKey: 'sb_publishable_x' };
const me = { id: 'me', display_name: 'Me', role: 'moderator' } as const;
const counts = { new: 2, mine: 1, in_review: 1000, held: 0 };

const rendered = (tips: QueueTip[], window = INITIAL_WINDOW) =>
  renderToString(
    <TipQueue
      language="en"
      me={me}
      backend={backend}
      window={window}
      tips={tips}
      counts={counts}
      about={null}
      timeZone="UTC"
    />,
  );

test('the queue is complete without scripts: text, sender, holder and contact', () => {
  const renditions = [{ width: 480, height: 320, bytes: 1 }];
  const photo = { id: 'p', state: 'ready', refusal_code: null, width: 480, height: 320, renditions } as const;
  const html = rendered([
    queueTip({
      body: '<b>Gate</b>',
      name: 'Ada',
      contact: 'ada@example.org',
      photo: { ...photo, renditions },
    }),
    queueTip({
      state: 'in_review',
      assigned: { id: 'bea', name: 'Bea' },
      review_started_at: '2026-11-22T10:05:00+00:00',
    }),
  ]);
  for (const part of [
    '&lt;b&gt;Gate',
    words.sender.private,
    'href="mailto:ada@example.org"',
    'with Bea since 10:05',
    'loading="lazy"',
    `href="/desk/tips?view=held"`,
    '1,002+',
  ]) {
    expect(html).toContain(part);
  }
  // Photos are closed, and tips of others cannot be changed.
  expect(html).not.toContain('<details open');
  expect(html.match(/data-action="take"/g)).toHaveLength(1);
  expect(html.match(/data-action="takeOver"/g)).toHaveLength(1);
});

test('a full list links to the next page without scripts, and an empty one says so', () => {
  const rows = [queueTip(), queueTip()];
  const html = rendered(rows, { ...INITIAL_WINDOW, view: 'spam', query: 'tip', most: 2 });
  expect(html).toContain(`before=${encodeURIComponent(`${rows[1]?.created_at},${rows[1]?.id}`)}`);
  expect(html).toContain('view=spam&amp;query=tip');
  expect(rendered([])).toContain(words.none.open);
});

test('tips appear at a desk only for people who handle them', () => {
  const controls = (role: 'moderator' | 'reporter') =>
    renderToString(
      <CoverageControls coverage={coverage} person={person(role)} backend={backend} language="en" />,
    );
  expect(controls('moderator')).toContain(deskList.tips.title);
  expect(controls('reporter')).not.toContain('coverage-tips');
});
