import { expect, test } from 'vitest';
import { decryptSecret, encryptSecret } from '../../../supabase/functions/_shared/secrets.ts';
import { type Block, blocksOf, linkParagraph } from '../../../supabase/functions/wordpress/draft.ts';
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
const BODY: Block[] = [
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

test('text of an update is escaped in every block', () => {
  const html =
    BODY.map((block) => blocksOf([block], 'https://live.example')).join('') +
    linkParagraph('https://a.example', HOSTILE);
  expect(html).not.toMatch(/<script|\[gallery|alert\("/);
  // Only the comments that mark blocks are left.
  expect(html.replaceAll(/<!-- \/?wp:[a-z-]+(?: \{"ordered":true\})? -->/g, '')).not.toContain('<!--');
  expect(html).toContain('href="https://live.example/media/1/2.mp4"');
  expect(html).toContain('&lt;script&gt;');
});
