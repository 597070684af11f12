import { Refused } from '../_shared/refusals.ts';
import { type Block, blocksOf, escapeHtml, linkParagraph } from './content.ts';
import { callWordPress, idOf, type WordPress, type WordPressAccess } from './rest.ts';

/** What `claim_wordpress_draft()` returns for an update without a draft. */
export type DraftSource = {
  slug: string;
  number: number;
  headline: string;
  /** Headline of the coverage. */
  coverage: string;
  body: Block[];
  photo: DraftPhoto | null;
  /** An earlier call may have made the draft before it failed. */
  is_repeated: boolean;
};

export type DraftPhoto = {
  id: string;
  bucket: string;
  width: number;
  alt: string;
  caption: string | null;
  credit: string | null;
};

/** A draft at WordPress: the address that opens it there, and its id. */
type Draft = { id: number; link: string };

/**
 * Makes a draft from an update: headline, text and a link to the update.
 * @param liveUrl URL of the update
 * @throws Refused
 */
export async function makeDraft(
  wordpress: WordPress,
  source: DraftSource,
  liveUrl: string,
  access: WordPressAccess,
): Promise<Draft> {
  const id =
    (source.is_repeated && (await findDraft(wordpress, liveUrl, access))) ||
    idOf(
      await callWordPress(
        wordpress,
        {
          route: '/wp/v2/posts',
          query: { _fields: 'id' },
          json: {
            status: 'draft',
            title: escapeHtml(source.headline),
            content: [blocksOf(source.body, liveUrl), linkParagraph(liveUrl, source.coverage)]
              .filter(Boolean)
              .join('\n\n'),
          },
        },
        access,
      ),
    );
  return { id, link: `${wordpress.url}/wp-admin/post.php?post=${id}&action=edit` };
}

/** Returns the id of a post that has the link to an update. */
async function findDraft(
  wordpress: WordPress,
  liveUrl: string,
  access: WordPressAccess,
): Promise<number | undefined> {
  const query = {
    status: 'draft,pending,future,publish',
    context: 'edit',
    search: liveUrl,
    _fields: 'id,content.raw',
  };
  const call = { route: '/wp/v2/posts', query };
  const answer = await callWordPress(wordpress, call, access).catch((error: unknown) => {
    // WordPress refuses the search to a user it does not know with 400. The next request says why.
    if (error instanceof Refused && error.reason === 'wordpress_not_understood') return [];
    throw error;
  });
  const posts: { id: number; content?: { raw?: string } }[] = Array.isArray(answer) ? answer : [];
  return posts.find(({ content }) => content?.raw?.includes(`href="${liveUrl}"`))?.id;
}

/**
 * Uploads a photo and makes it the featured image of a draft.
 * @throws Refused, for example because the user of WordPress may not upload files
 */
export async function addPhoto(
  wordpress: WordPress,
  draft: Draft,
  photo: DraftPhoto,
  bytes: Uint8Array<ArrayBuffer>,
  access: WordPressAccess,
): Promise<void> {
  const caption = [photo.caption, photo.credit].filter(Boolean).join(' – ');
  const query = { alt_text: photo.alt, caption: escapeHtml(caption), _fields: 'id' };
  const file = { bytes, type: 'image/webp', name: `${photo.id}.webp` };
  const media = await callWordPress(wordpress, { route: '/wp/v2/media', query, file }, access);
  const json = { featured_media: idOf(media) };
  await callWordPress(
    wordpress,
    { route: `/wp/v2/posts/${draft.id}`, query: { _fields: 'id' }, json },
    access,
  );
}
