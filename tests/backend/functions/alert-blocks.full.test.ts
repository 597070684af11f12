import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Block, plainRows } from '../../../src/lib/domain/body/blocks.ts';
import { createFollowers } from '../../support/alerts.ts';
import { type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { type MailServer, startMailServer } from '../../support/mail.ts';
import { call, createLiveCoverage, createUsers, type Newsroom, type People } from '../../support/newsroom.ts';
import { announcePhoto, makePhoto } from '../../support/photos.ts';

/* What a mail says about each kind of block. Mails have text only: no players, maps, tables or frames. */

const SITE = 'https://news.example';
const OTHER = 'https://evil.example';

/** Becomes markup, a header or another direction of writing where it is not escaped. */
const HOSTILE = `</p><script src="${OTHER}/a.js"></script><img src=${OTHER}/b.png onerror=alert(1)> & "c" 'd' \u202egnp.exe`;

let backend: OwnedBackend;
let service: SupabaseClient;
let people: People;
let mails: MailServer;
let newsroom: Newsroom;
beforeAll(async () => {
  mails = await startMailServer();
  backend = await startOwnedBackend({ ...mails.environment, SITE_URL: SITE });
  service = serviceClient(backend);
  people = await createUsers({ ...backend, service });
  // The first call stores that mails can be sent.
  await service.functions.invoke('deliver-alerts', { body: {} });
});
afterAll(async () => {
  await backend.stop();
  await mails.stop();
});
beforeEach(async () => {
  newsroom = await createLiveCoverage(people);
  await createFollowers(backend.sql, newsroom.coverage.id, [{ mail: true }]);
  mails.delivered.length = 0;
});

/** Adds a photo that readers see. @returns its id and file */
async function addPhoto(alt: string): Promise<{ id: string; file: Buffer }> {
  const photo_id = await announcePhoto(newsroom, null);
  const content = { alt, caption: HOSTILE, credit: 'A. Reporter' };
  const coverage_id = newsroom.coverage.id;
  await call(people.reporter.client, 'save_photo', { photo_id, coverage_id, content });
  const file = await sharp(await makePhoto(480, 320))
    .webp()
    .toBuffer();
  const stored = await service.storage
    .from('photos')
    .upload(`renditions/${photo_id}/480`, file, { contentType: 'image/webp' });
  expect(stored.error).toBeNull();
  const renditions = [{ width: 480, height: 320, bytes: 2_000 }];
  await service
    .rpc('mark_photo_ready', { photo_id, renditions, placeholder_colour: '#28406a' })
    .throwOnError();
  return { id: photo_id, file };
}

/** Sends all alerts at once. @returns the parts of the only mail */
async function deliver() {
  const at = "now() - interval '1 second'";
  await backend.sql(
    `update public.alerts set due_at = ${at}, latest_at = ${at} where deliveries_created_at is null returning id`,
  );
  await service.functions.invoke('deliver-alerts', { body: {} });
  await backend.sql(`update public.deliveries set due_at = ${at} where state = 'queued' returning id`);
  await service.functions.invoke('deliver-alerts', { body: {} });
  expect(mails.delivered).toHaveLength(1);
  const [{ mail } = { mail: undefined }] = mails.delivered;
  const { text = '', html = '', subject = '', attachments = [], headers = [] } = mail ?? {};
  return { text, html, subject, attachments, headers };
}

const spaced = (text: string) => text.replace(/\s+/g, ' ');

/** The text of a part of HTML, as a mail program shows it. */
const shownText = (html: string) =>
  spaced(
    html
      .replace(/<style>.*?<\/style>/s, '')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );

/** Expects that a mail has no markup of its content and loads nothing from another host. */
function expectHarmless({ html, headers }: Awaited<ReturnType<typeof deliver>>) {
  // Escaped text in an attribute may contain anything but its quote.
  const elements = html.replace(/="[^"<>]*"/g, '');
  expect(elements).not.toMatch(/<(?:script|iframe|video|audio|table|object|link|base|form)\b|<[^>]* on\w+=/i);
  const links = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(3);
  expect(links.filter((link) => !link?.startsWith(`${SITE}/`) && link !== 'cid:photo')).toEqual([]);
  expect(headers.map(({ key }) => key)).not.toContain('bcc');
}

type Kind = { block: Block; shown: string[]; hidden?: string[] };

const KINDS: Record<string, (words: string) => Kind> = {
  post: (words) => ({
    block: {
      type: 'post',
      url: `${OTHER}/@ana/1`,
      author: 'Ana "the <b>bold</b>"',
      handle: '@ana@social.example',
      network: 'Mastodon',
      text: words,
      quoted_at: '2026-11-20T14:02:00Z',
    },
    shown: [words, 'Ana "the <b>bold</b>"'],
    hidden: [`${OTHER}/@ana/1`],
  }),
  media: (words) => ({
    block: { type: 'media', url: 'https://vimeo.com/1', title: 'The bridge', description: words },
    shown: ['The bridge', words],
    hidden: ['https://vimeo.com/1'],
  }),
  map: (words) => ({
    block: { type: 'map', name: words.slice(0, 80), latitude: 53.69, longitude: -0.44 },
    shown: [words.slice(0, 80)],
  }),
  table: (words) => ({
    block: {
      type: 'table',
      rows: plainRows([
        ['Gauge', 'Level'],
        ['Quay', words],
      ]),
      as_of: '2026-11-20T14:02:00Z',
      csv: `${OTHER}/levels.csv`,
      stale: true,
    },
    shown: ['Gauge', 'Level', 'Quay', words],
    hidden: [`${OTHER}/levels.csv`],
  }),
};

describe.each([
  ['plain', 'Stay on the upper floors tonight.'],
  ['hostile', HOSTILE],
])('a mail about an update with %s content', (_name, words) => {
  test.each(Object.keys(KINDS))(
    'has the words of a %s in both parts, and nothing else of it',
    async (name) => {
      const { block, shown, hidden = [] } = (KINDS[name] as (words: string) => Kind)(words);
      await newsroom.publish({ body: [block] });
      const mail = await deliver();
      for (const part of [spaced(mail.text), shownText(mail.html)]) {
        for (const text of shown) expect(part).toContain(spaced(text));
        for (const text of hidden) expect(part).not.toContain(text);
      }
      const path = `${SITE}/live/${newsroom.coverage.slug}/1`;
      expect(mail.text.split('\n')).toContain(path);
      expect(mail.html).toContain(`href="${path}"`);
      expect(mail.attachments).toEqual([]);
      expectHarmless(mail);
    },
  );

  test('has the photo in the HTML part only, with its alt text, also without words', async () => {
    const { id, file } = await addPhoto(words);
    await newsroom.publish({ body: [{ type: 'photo', photo: id }] });
    const mail = await deliver();
    expect(mail.subject).toMatch(/: 1 new update$/);
    expect(mail.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer))).toEqual([file]);
    expect(mail.html).toMatch(
      /<img src="cid:photo" width="480" height="320" alt="[^"<>]+" lang="en" dir="ltr">/,
    );
    const alt = /alt="([^"]*)"/.exec(mail.html)?.[1] ?? '';
    expect(shownText(alt)).toBe(spaced(words));
    expect(spaced(mail.text)).not.toContain(spaced(words).slice(0, 20));
    expect(spaced(mail.text)).toContain(`${SITE}/live/${newsroom.coverage.slug}/1`);
    expectHarmless(mail);
  });
});

test('a digest has all kinds, each under its own time, and a direction of writing ends with its line', async () => {
  const { id } = await addPhoto('The quay at noon');
  const kinds = Object.values(KINDS).map((kind) => kind(HOSTILE));
  for (const { block } of kinds) await newsroom.publish({ body: [block] });
  await newsroom.publish({ headline: 'With a picture', body: [{ type: 'photo', photo: id }] });
  const mail = await deliver();
  const path = `${SITE}/live/${newsroom.coverage.slug}`;
  for (let number = 1; number <= 5; number++) {
    expect(mail.text.split('\n')).toContain(`${path}/${number}`);
    expect(mail.html).toContain(`href="${path}/${number}"`);
  }
  for (const { shown } of kinds) {
    for (const part of [spaced(mail.text), shownText(mail.html)])
      expect(part).toContain(spaced(shown[0] ?? ''));
  }
  // A paragraph isolates its direction, and a line of plain text does too.
  for (const element of mail.html.matchAll(/<p[^>]*>[^<]*\u202e[^<]*<\/p>/g)) {
    expect(element[0]).toMatch(/^<p lang="en" dir="ltr">/);
  }
  expect(mail.html.match(/\u202e/g)).toHaveLength(
    [...mail.html.matchAll(/<p lang="en" dir="ltr">[^<]*\u202e/g)].length,
  );
  expectHarmless(mail);
});
