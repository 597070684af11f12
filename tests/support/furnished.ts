import { randomUUID } from 'node:crypto';
import { call, type Newsroom, paragraph } from './newsroom.ts';
import type { TestSite } from './site.ts';
import { sendTip, sendTipWithPhoto } from './tip-sending.ts';

/** A coverage with one of everything that a screen may have to show. */
export async function furnish(newsroom: Newsroom): Promise<Newsroom> {
  const wrong = await newsroom.publish({ headline: 'Soon withdrawn' });
  const corrected = await newsroom.publish({ headline: 'Corrected', key_event: true });
  await newsroom.publish({
    urgency: 'important',
    body: [
      {
        type: 'paragraph',
        runs: [
          { text: 'Plain, ' },
          { text: 'bold', bold: true },
          { text: ' and ' },
          { text: 'linked.', link: 'https://example.com/' },
        ],
      },
      { type: 'list', ordered: true, items: [[{ text: 'One' }], [{ text: 'Two' }]] },
      { type: 'quote', text: 'It has never been so high.', attribution: 'The harbour master' },
      { type: 'link', url: 'https://example.com/levels', title: 'Levels of the river' },
    ],
  });
  await newsroom.correct(
    corrected,
    { headline: 'Corrected', key_event: true },
    'It was two metres, not three.',
  );
  await newsroom.withdraw(wrong, 'It was about another river.');
  for (let n = 4; n <= 21; n++) await newsroom.publish();
  await newsroom.pin({ ...corrected, version: 2 });
  await newsroom.setSummary([paragraph('The river is rising.'), paragraph('The bridge is closed.')]);
  await announce(newsroom);
  await readOn(newsroom);
  await fromRightToLeft(newsroom);
  return newsroom;
}

/** What readers tell: with all that a tip may have, of a stranger in haste, in another language. */
export async function tell(site: TestSite, { coverage }: Newsroom): Promise<void> {
  await sendTipWithPhoto(site, {
    body: 'The lower gate is open.\n'.repeat(12),
    coverage: coverage.slug,
    name: 'Ada',
    contact: 'ada@example.org',
    may_name: true,
  });
  await sendTip(site, { body: 'Cheap watches.', website: 'x', contact: 'x'.repeat(120) });
  await sendTip(site, { body: 'ارتفع النهر مترين.', name: 'سلمى', coverage: `${coverage.slug}-ar` });
}

/** A coverage in a language that is written from right to left, and that the product does not speak. */
async function fromRightToLeft({ people, coverage: { slug } }: Newsroom): Promise<void> {
  const { editor, reporter } = people;
  const coverage_id = randomUUID();
  const body = [paragraph('ارتفع النهر مترين.')];
  const content = { slug: `${slug}-ar`, headline: 'النهر يرتفع', time_zone: 'Europe/Dublin', language: 'ar' };
  await call(editor.client, 'create_coverage', { coverage_id, content });
  await call(editor.client, 'set_coverage_state', { coverage_id, state: 'live' });
  const update_id = randomUUID();
  const first = { coverage_id, update_id, content: { headline: 'الجسر', key_event: true, body } };
  await call(reporter.client, 'publish_update', first);
  const change = { update_id, version: 1, content: { body }, note: 'مترين لا ثلاثة.' };
  await call(reporter.client, 'correct_update', change);
}

/** A reader who follows, and has told what they know. */
async function readOn({ people: { reader }, coverage: { slug } }: Newsroom): Promise<void> {
  for (const target of [{ coverage: slug }, { topic: `${slug}-topic` }])
    await call(reader.client, 'save_follow', { target, scope: 'key', mail: true, push: true });
  const tip = {
    id: randomUUID(),
    coverage: slug,
    body: 'Water stands in the cellar of the school. '.repeat(10),
  };
  const { error } = await reader.client.functions.invoke('submit-tip', { body: tip });
  if (error) throw error;
}

/** A coverage that is still to come, the first of its topic. */
async function announce({ people, coverage: { slug } }: Newsroom): Promise<void> {
  const editor = people.editor.client;
  const coverage_id = randomUUID();
  const topic = `${slug}-topic`;
  await call(editor, 'save_topic', { slug: topic, name: 'Floods', description: 'High water.' });
  const content = {
    slug: `${slug}-later`,
    headline: 'The river falls',
    starts_at: '2040-01-01T10:00:00Z',
    topics: [topic],
  };
  await call(editor, 'create_coverage', { coverage_id, content });
  await call(editor, 'set_coverage_state', { coverage_id, state: 'scheduled' });
}
