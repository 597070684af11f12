import { type Block, plainRows } from '../../src/lib/domain/body/blocks.ts';
import { addMedia, fileBlock } from './media.ts';
import { type Newsroom, paragraph, type SavedUpdate } from './newsroom.ts';
import { addPhoto } from './photos.ts';
import type { TestSite } from './site.ts';

/** Address of the quoted post. */
export const POST = 'https://social.example/@ana/1';
/** Address of the video. */
export const VIDEO = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';

/** A coverage with one update that has all kinds of blocks, each with a word of its own. */
export async function publishBlocks(site: TestSite, newsroom: Newsroom) {
  const [photo, audio] = await Promise.all([
    addPhoto(site, newsroom, 'The quayside at noon'),
    addMedia(site, newsroom, { format: 'mp3', seconds: 61 }),
  ]);
  const body: Block[] = [
    paragraph('What we have seen'),
    photo.block,
    {
      type: 'post',
      url: POST,
      author: 'Ana',
      handle: '@ana@social.example',
      network: 'Mastodon',
      text: 'The cellar is full.',
      posted_at: '2026-11-20T13:58:00Z',
      quoted_at: '2026-11-20T14:02:00Z',
      gone_at: '2026-11-20T15:10:00Z',
    },
    { type: 'media', url: VIDEO, title: 'The bridge falls', description: 'Filmed from Millbrook.' },
    fileBlock(audio.path, { title: 'The harbourmaster speaks', description: 'Go home.' }),
    { type: 'map', name: 'Gymnasium', latitude: 53.69012, longitude: -0.44213, zoom: 15 },
    {
      type: 'table',
      rows: plainRows([
        ['Shelter', 'Beds'],
        ['Riverside', 'full'],
      ]),
      align: ['start', 'end'],
      caption: 'Where to sleep',
      source: 'Town council',
      as_of: '2026-11-20T14:05:00Z',
      preset: 'shelters',
    },
    paragraph('More soon'),
  ];
  const update = await newsroom.publish({ headline: 'All at once', body });
  return { update, body, photo: photo.id, file: audio.path };
}

/** What `publishBlocks` returns. */
export type Published = Awaited<ReturnType<typeof publishBlocks>>;

/** Publishes the update once more with changed words in each of these kinds. */
export async function correctBlocks(newsroom: Newsroom, update: SavedUpdate, body: Block[], photo: Block) {
  const changed = body.map((block): Block => {
    switch (block.type) {
      case 'photo':
        return photo;
      case 'post':
        return { ...block, text: 'The attic is full.' };
      case 'media':
        return { ...block, title: block.title.replace('falls', 'stands').replace('speaks', 'explains') };
      case 'map':
        return { ...block, name: 'Chapel', longitude: -0.5 };
      case 'table':
        return {
          ...block,
          rows: plainRows([
            ['Shelter', 'Beds'],
            ['Riverside', '40'],
          ]),
        };
      default:
        return block;
    }
  });
  return newsroom.correct(update, { headline: 'All at once', body: changed }, 'We were wrong.');
}
