import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFeed } from '@rowanmanning/feed-parser';
import { HtmlValidate } from 'html-validate';
import { expect, vi } from 'vitest';
import { EXPORT } from '../../src/lib/i18n/cli.ts';
import { newDataFolder, removeData } from '../support/data-folders.ts';
import { addressesOf, digestsOf, filesOf, findBrokenLinks, runCommand } from '../support/export-folder.ts';
import { HTML_RULES } from '../support/html-checks.ts';
import { call, createLiveCoverage, paragraph, words } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { seedNewsroom } from '../support/seeded-newsroom.ts';
import { test as base } from '../support/test.ts';

// Whole newsrooms are taken out and brought in.
vi.setConfig({ testTimeout: 180_000 });

const SITE = 'https://news.example';

const LONG = Array.from({ length: 9 }, (_, n) => words(`Part ${n} of a long report`));

/** A coverage with everything, under its second slug, and the folder that was made of it. */
const test = base
  .extend('ownSite', true)
  .extend('environment', { SITE_URL: SITE })
  .extend('place', { scope: 'file' }, async ({ site: _ }, { onCleanup }) => {
    const place = await mkdtemp(join(tmpdir(), 'stoppress-folders-'));
    onCleanup(() => rm(place, { recursive: true, force: true }));
    return place;
  })
  .extend('run', { scope: 'file' }, ({ site, place }) => {
    return (args: string[], environment: Record<string, string> = {}) =>
      runCommand('export', place, args, { STOPPRESS_DATA: site.data, SITE_URL: SITE, ...environment });
  })
  .extend('furnished', { scope: 'file' }, async ({ people, site }) => {
    const newsroom = await seedNewsroom(await createLiveCoverage(people));
    const { slug: old, id } = newsroom.coverage;
    const { block } = await addPhoto(site, newsroom);
    await newsroom.publish({
      headline: 'As seen from the quay',
      body: [...LONG, block, paragraph('The end of it.')],
    });
    const link = (text: string, to: string) => ({ text, link: to });
    const own = `${SITE}/live/${old}`;
    const runs = [link('three', `${own}/3`), link('older', `${own}?before=5`), link('us', `${SITE}/tips`)];
    await newsroom.publish({ body: [{ type: 'paragraph', runs }] });
    const draft = {
      update_id: randomUUID(),
      coverage_id: id,
      content: { body: [paragraph('Not for readers yet.')] },
    };
    await call(people.reporter.client, 'save_update', { ...draft, version: 0 });
    const { data } = await people.editor.client.from('coverages').select('version').eq('id', id).single();
    const content = { slug: `${old}-now`, standfirst: 'With what “we” know & <more>.' };
    await call(people.editor.client, 'save_coverage', { coverage_id: id, version: data?.version, content });
    newsroom.coverage.slug = content.slug;
    return newsroom;
  })
  .extend('folder', { scope: 'file' }, async ({ furnished, run, place }) => {
    const { code, out, errors } = await run([furnished.coverage.slug, '--to', 'first/folder']);
    expect(errors).toBe('');
    expect(code).toBe(0);
    return { out, files: await filesOf(join(place, 'first/folder')) };
  });

const JUDGE = new HtmlValidate(HTML_RULES);

const textOf = (files: Map<string, Buffer>, file: string) => files.get(file)?.toString() ?? '';

test('every page is there, and every link in it that says so leads to a file and a place of the folder', ({
  folder: { out, files },
}) => {
  expect(out).toMatch(/: \d+ pages in .*first\/folder, [\d.]+ s\.\n$/);
  const numbers = Array.from({ length: 23 }, (_, index) => `updates/${index + 1}.html`);
  for (const file of [
    'index.html',
    'page-11.html',
    'key-events.html',
    'timeline.html',
    'feed.atom',
    'feed.json',
    'README.txt',
    'data/coverage.json',
    ...numbers,
  ])
    expect(files.has(file), file).toBe(true);
  expect(findBrokenLinks(files)).toEqual([]);
  const absolute = addressesOf(files).flatMap(({ address }) => /^https?:\/\/[^/]+/.exec(address) ?? []);
  expect(new Set(absolute)).toEqual(new Set([SITE, 'https://example.com']));
  const bad = [...files.keys()].filter((file) => !/^[a-zA-Z0-9/-]+\.[a-z]+$/.test(file));
  expect(bad).toEqual([]);
});

test('a page is complete: long updates to their end, history, withdrawals with their reason, photos', ({
  folder: { files },
}) => {
  const index = textOf(files, 'index.html');
  expect(index).toContain('Part 8 of a long report');
  expect(index).toContain('The end of it.');
  expect(index).not.toContain('<summary>');
  expect(index).toMatch(
    /<img src="photos\/[0-9a-f-]{36}-480\.webp" srcset="[^"]+-480\.webp 480w, [^"]+960w, /,
  );
  expect(index).toContain('With what “we” know &amp; &lt;more&gt;.');
  expect(textOf(files, 'updates/2.html')).toContain('It was two metres, not three.');
  expect(textOf(files, 'updates/2.html')).toContain('class="history"');
  expect(textOf(files, 'updates/1.html')).toContain('It was about another river.');
  const last = textOf(files, 'updates/23.html');
  for (const href of ['3.html', '../page-11.html', `${SITE}/tips`])
    expect(last).toContain(`<a href="${href}">`);
});

test('the feeds have every update, and say that they are whole', ({ folder: { files } }) => {
  const atom = textOf(files, 'feed.atom');
  const { items } = parseFeed(atom);
  expect(items).toHaveLength(22);
  expect(atom).toMatch(/<fh:complete ?\/>/);
  expect(atom.match(/<at:deleted-entry/g)).toHaveLength(1);
  expect(JSON.parse(textOf(files, 'feed.json')).items.length).toBeGreaterThanOrEqual(22);
});

test('nothing runs, asks, sends, or tells of the machine; what readers may not see is not there', ({
  folder: { files },
  site,
}) => {
  for (const [file, bytes] of files) {
    if (file.endsWith('.webp')) continue;
    const text = bytes.toString();
    for (const word of [site.url, site.publishableKey, site.secretKey, site.data, process.cwd(), '127.0.0.1'])
      expect(text.includes(word), `${word} in ${file}`).toBe(false);
    expect(text.includes('Not for readers yet.'), file).toBe(false);
    expect(text.includes('Soon withdrawn'), file).toBe(false);
    if (!file.endsWith('.html')) continue;
    expect(
      text.match(
        /<script(?! type="application\/ld\+json")|<form|<button|<input|<iframe|<noscript|astro-|<!--/g,
      ),
      file,
    ).toBeNull();
    expect(text, file).toContain('<p id="saved"');
    expect(text, file).not.toMatch(/This copy was made|checked <time/);
  }
});

test('html-validate finds nothing in any page', async ({ folder: { files } }) => {
  const found: string[] = [];
  for (const [file, bytes] of files) {
    if (!file.endsWith('.html')) continue;
    const { results } = await JUDGE.validateString(bytes.toString());
    for (const { messages } of results)
      for (const { ruleId, message, line, column } of messages)
        found.push(`${file}:${line}:${column} ${ruleId} ${message}`);
  }
  expect(found).toEqual([]);
});

test('what is there already is never written over, and a refusal leaves nothing', async ({
  run,
  place,
  furnished,
}) => {
  const { people, coverage } = furnished;
  await mkdir(join(place, 'taken'), { recursive: true });
  await writeFile(join(place, 'taken/mine.txt'), 'mine');
  await writeFile(join(place, 'a-file'), 'mine');
  const before = await readdir(place, { recursive: true });
  const failed = async (args: string[], sentence: string, environment = {}) => {
    const { code, errors } = await run(args, environment);
    expect(errors.trim()).toBe(sentence);
    expect(code).toBe(1);
  };
  const to = (folder: string) => join(place, folder);
  await failed([coverage.slug, '--to', 'taken'], EXPORT.failed(EXPORT.taken(to('taken'))));
  await failed([coverage.slug, '--to', 'a-file'], EXPORT.failed(EXPORT.taken(to('a-file'))));
  await failed([coverage.slug, '--to', 'a-file/below'], EXPORT.failed(EXPORT.unwritable(to('a-file/below'))));
  await failed(['no-such-thing'], EXPORT.failed(EXPORT.missing('no-such-thing')));
  await failed([], EXPORT.usage);
  await failed(['a', 'b'], EXPORT.usage);
  await failed(['../etc'], EXPORT.usage);
  await failed(
    [`${coverage.slug.replace(/-now$/, '')}-later`],
    EXPORT.failed(EXPORT.notBegun(`${coverage.slug.replace(/-now$/, '')}-later`)),
  );
  const draft = {
    coverage_id: randomUUID(),
    content: { slug: 'a-draft', headline: 'Not yet', time_zone: 'UTC', language: 'en' },
  };
  await call(people.editor.client, 'create_coverage', draft);
  await failed(['a-draft'], EXPORT.failed(EXPORT.missing('a-draft')));
  const taken = await createLiveCoverage(people);
  await taken.setState('withdrawn');
  await failed([taken.coverage.slug], EXPORT.failed(EXPORT.withdrawn(taken.coverage.slug)));
  expect(await readdir(place, { recursive: true })).toEqual(before);
});

test('brought into an empty newsroom and taken out of it again, it is the same bytes', async ({
  folder: { files },
  furnished,
  place,
}) => {
  const there = { STOPPRESS_DATA: await newDataFolder(), SITE_URL: SITE };
  try {
    const came = await runCommand('import', place, ['first/folder'], there);
    expect(came.errors).toBe('');
    const left = await runCommand('export', place, [furnished.coverage.slug, '--to', 'returned'], there);
    expect(left.errors).toBe('');
    expect(digestsOf(await filesOf(join(place, 'returned')))).toEqual(digestsOf(files));
  } finally {
    await removeData(there.STOPPRESS_DATA);
  }
});

test('made again it is the same bytes, by its old slug too, and from a newsroom that is stopped', async ({
  folder: { files },
  furnished,
  run,
  place,
  site,
}) => {
  // In a folder that is there, and empty.
  await mkdir(join(place, 'second'));
  const again = await run([furnished.coverage.slug.replace(/-now$/, ''), '--to', 'second']);
  expect(again.errors).toBe('');
  expect(digestsOf(await filesOf(join(place, 'second')))).toEqual(digestsOf(files));
  await site.stopProcess();
  const third = await run([furnished.coverage.slug], { SITE_URL: SITE });
  expect(third.errors).toBe('');
  expect(digestsOf(await filesOf(join(place, furnished.coverage.slug)))).toEqual(digestsOf(files));
});
