import { expect, test } from 'vitest';
import { decryptSecret, encryptSecret } from '../../../supabase/functions/_shared/crypto.ts';
import {
  blocksOf,
  type DraftBlock,
  type DraftPhoto,
  linkParagraph,
  type UploadedPhoto,
} from '../../../supabase/functions/wordpress/draft.ts';
import { readSiteAddress } from '../../../supabase/functions/wordpress/rest.ts';

const USE = { purpose: 'wordpress password', owner: 'https://paper.example' } as const;

test('a password can be read with its key and for its address only', async () => {
  const stored = await encryptSecret('abcdefghijkl', USE, 'sb_secret_a');
  expect(stored).toMatch(/^[\w-]{40,}$/);
  expect(await decryptSecret(stored, USE, 'sb_secret_a')).toBe('abcdefghijkl');
  expect(await decryptSecret(stored, USE, 'sb_secret_b')).toBeUndefined();
  expect(
    await decryptSecret(stored, { ...USE, owner: 'https://other.example' }, 'sb_secret_a'),
  ).toBeUndefined();
  expect(await decryptSecret(stored, { ...USE, purpose: 'filing token' }, 'sb_secret_a')).toBeUndefined();
  const changed = `${stored.slice(0, -2)}${stored.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const other of [changed, '', '%', 'x'.repeat(80)])
    expect(await decryptSecret(other, USE, 'sb_secret_a')).toBeUndefined();
  expect(await encryptSecret('abcdefghijkl', USE, 'sb_secret_a')).not.toBe(stored);
});

test.for([
  ['paper.example', 'https://paper.example'],
  [' https://paper.example/ ', 'https://paper.example'],
  ['https://paper.example/blog/wp-admin/', 'https://paper.example/blog'],
  ['https://Paper.example/wp-json', 'https://paper.example'],
] as const)('reads the address %s', ([typed, address]) => {
  expect(readSiteAddress(typed, undefined)).toBe(address);
});

test.for([
  'http://paper.example',
  'https://paper.example:8443',
  'https://127.0.0.1',
  'https://[::1]',
  'https://169.254.169.254',
  'https://2130706433',
  'https://me:secret@paper.example',
  'https://paper.example/?a',
  'https://paper.example/#a',
  'ftp://paper.example',
  'javascript://paper.example/%0aalert(1)',
  '',
])('refuses the address %j', (typed) => {
  expect(() => readSiteAddress(typed, undefined)).toThrow();
});

test('allows a private address only where the operator named its origin', () => {
  expect(readSiteAddress('http://10.0.0.5:8080/blog', 'http://10.0.0.5:8080')).toBe(
    'http://10.0.0.5:8080/blog',
  );
  for (const other of [
    'http://10.0.0.5',
    'http://10.0.0.5:8081',
    'https://10.0.0.5:8080',
    'http://a:b@10.0.0.5:8080',
  ])
    expect(() => readSiteAddress(other, 'http://10.0.0.5:8080')).toThrow();
});

const HOSTILE = `<script>alert("1")</script>[gallery]<!-- /wp:paragraph -->&'`;

const run = { text: HOSTILE, link: `https://a.example/?"'` };
const BODY: DraftBlock[] = [
  { type: 'paragraph', runs: [run, { text: HOSTILE, bold: true, italic: true }] },
  { type: 'list', ordered: true, items: [[run]] },
  { type: 'quote', text: HOSTILE, attribution: HOSTILE },
  { type: 'link', url: 'https://a.example/', title: HOSTILE, description: HOSTILE, site: HOSTILE },
  { type: 'table', rows: [[[run]], [[run]]], caption: HOSTILE, source: HOSTILE },
  { type: 'map', name: HOSTILE, latitude: 1, longitude: 2 },
  { type: 'post', url: 'https://a.example/', author: HOSTILE, handle: HOSTILE, text: HOSTILE },
  { type: 'media', url: '/media/1/2.mp4', title: HOSTILE, description: HOSTILE },
  { type: 'photo', photo: '1' },
];

const PHOTO: DraftPhoto = {
  id: '1',
  bucket: 'photos',
  width: 1600,
  alt: HOSTILE,
  caption: HOSTILE,
  credit: HOSTILE,
};
const UPLOADED: [string, UploadedPhoto] = ['1', { id: 12, url: `https://paper.example/a.webp?"'` }];

const blocks = (body: DraftBlock[], all = [PHOTO], uploaded: [string, UploadedPhoto][] = []) =>
  blocksOf(body, 'https://live.example', { all, uploaded: new Map(uploaded) });

test.for([
  ['while its photo is a link', []],
  ['once its photo is uploaded', [UPLOADED]],
] as [string, [string, UploadedPhoto][]][])(
  'text of an update is escaped in every block %s',
  ([, uploaded]) => {
    const html =
      BODY.map((block) => blocks([block], [PHOTO], uploaded)).join('') +
      linkParagraph('https://a.example', HOSTILE);
    expect(html).not.toMatch(/<script|\[gallery|alert\("/);
    // Only the comments that mark blocks are left.
    expect(html.replaceAll(/<!-- \/?wp:[a-z-]+(?: \{[\w":,]+\})? -->/g, '')).not.toContain('<!--');
    expect(html).toContain('href="https://live.example/media/1/2.mp4"');
    expect(html).toContain('&lt;script&gt;');
  },
);

test('a photo is an image once it is uploaded, a link before, and nothing when readers do not see it', () => {
  const photo = { ...PHOTO, alt: 'The quay', caption: 'At noon', credit: 'A. Reporter' };
  const body: DraftBlock[] = [{ type: 'photo', photo: '1' }];
  expect(blocks(body, [photo], [['1', { id: 12, url: 'https://paper.example/a.webp' }]])).toBe(
    '<!-- wp:image {"id":12,"sizeSlug":"full","linkDestination":"none"} --><figure class="wp-block-image size-full">' +
      '<img src="https://paper.example/a.webp" alt="The quay" class="wp-image-12"/>' +
      '<figcaption class="wp-element-caption">At noon – A. Reporter</figcaption></figure><!-- /wp:image -->',
  );
  expect(blocks(body, [photo])).toBe(
    '<!-- wp:paragraph --><p><a href="https://live.example/photos/1/1600">The quay</a><br>At noon – A. Reporter</p><!-- /wp:paragraph -->',
  );
  expect(blocks(body, [])).toBe('');
});

test('a map is a link to its place, and a table without names of columns has no head', () => {
  expect(blocks([{ type: 'map', name: 'Quay', latitude: 1.5, longitude: -2, zoom: 9 }])).toContain(
    '<a href="https://www.openstreetmap.org/?mlat=1.5&amp;mlon=-2#map=9/1.5/-2">Quay</a><br>1.5, -2',
  );
  const cell = [{ text: 'a' }];
  expect(blocks([{ type: 'table', rows: [[cell], [cell]] }])).toContain('<thead>');
  expect(blocks([{ type: 'table', rows: [[[]], [cell]] }])).not.toContain('<thead>');
});
