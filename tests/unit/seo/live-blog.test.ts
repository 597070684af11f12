import { expect, test } from 'vitest';
import type { ReaderCoverage } from '../../../src/lib/coverage/coverage.ts';
import { jsonLd } from '../../../src/lib/seo/json-ld.ts';
import { liveBlogPosting } from '../../../src/lib/seo/live-blog.ts';
import type { ReaderUpdate } from '../../../src/lib/updates/update.ts';

const coverage = {
  slug: 'storm',
  headline: 'The storm',
  standfirst: '',
  language: 'en',
  published_at: '2026-11-20T10:00:00+00:00',
  starts_at: '2026-11-20T09:00:00+00:00',
  ended_at: null,
  revised_at: null,
  summary_at: null,
} as ReaderCoverage;

const update = (number: number, more: Partial<ReaderUpdate>) =>
  ({
    number,
    state: 'published',
    headline: null,
    body: [{ type: 'paragraph', runs: [{ text: `Words of ${number} </script>` }] }],
    published_at: `2026-11-20T1${number}:00:00.5+00:00`,
    revised_at: null,
    withdrawn_at: null,
    bylines: [],
    notes: [],
    photos: [],
    ...more,
  }) as ReaderUpdate;

const site = {
  name: 'The Courier',
  tagline: '',
  language: 'en',
  publisher: 'Valley Press',
  contact: '',
  reader_follow: 'auto' as const,
  reader_interval: 10,
  surge: 'auto' as const,
  surging: false,
  surge_since: null,
  keeps_copies: true,
  accent: '',
  accent_dark: '',
  frames: ['*'],
  seq: 0,
};

test('a live page is described as schema.org has it, without what was withdrawn', () => {
  const withdrawn = update(2, { state: 'withdrawn', body: [], withdrawn_at: '2026-11-20T18:00:00+00:00' });
  const bylines = [{ handle: 'ada', display_name: 'Ada' }];
  const posting = liveBlogPosting(
    coverage,
    [update(3, { headline: 'Third', bylines }), withdrawn, update(1, {})],
    site,
  );
  expect(JSON.parse(jsonLd(posting))).toMatchObject({
    '@type': 'LiveBlogPosting',
    url: 'http://127.0.0.1:4321/live/storm',
    headline: 'The storm',
    coverageStartTime: '2026-11-20T09:00:00Z',
    datePublished: '2026-11-20T10:00:00Z',
    dateModified: '2026-11-20T18:00:00Z',
    publisher: { name: 'Valley Press' },
    liveBlogUpdate: [
      {
        '@type': 'BlogPosting',
        url: 'http://127.0.0.1:4321/live/storm/3',
        headline: 'Third',
        datePublished: '2026-11-20T13:00:00Z',
        articleBody: 'Words of 3 </script>',
        author: [{ '@type': 'Person', name: 'Ada', url: 'http://127.0.0.1:4321/people/ada' }],
      },
      { headline: 'Words of 1 </script>', author: { name: 'Valley Press' } },
    ],
  });
  expect(posting).not.toHaveProperty('coverageEndTime.length');
});

test('nothing in it can end the script that holds it', () => {
  expect(jsonLd({ text: '</script><!--' })).toBe('{"text":"\\u003c/script>\\u003c!--"}');
});
