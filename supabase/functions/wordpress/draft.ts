import { Refused } from '../_shared/refusals.ts';
import {
  blocksOf,
  type DraftBlock,
  type DraftPhoto,
  escapeHtml,
  linkParagraph,
  photoLine,
  type UploadedPhoto,
} from './content.ts';
import { callWordPress, responseId, type WordPress, type WordPressAccess } from './rest.ts';

/** What `claim_wordpress_draft()` returns for an update without a draft. */
export type DraftSource = {
  slug: string;
  number: number;
  headline: string;
  /** Headline of the coverage. */
  coverage: string;
  body: DraftBlock[];
  /** The photos that readers see, in the order of the body. */
  photos: DraftPhoto[];
  /** An earlier call may have made the draft before it failed. */
  is_repeated: boolean;
};

/** A draft at WordPress. */
export type DraftPost = {
  id: number;
  /** The address that opens it there. */
  link: string;
  /** It has the content that we gave it, so that no text of a person is lost when the photos are added. */
  isUntouched: boolean;
};

/** Returns the content of a draft: the text, the photos and a link to the update. */
const contentOf = (
  source: DraftSource,
  liveUrl: string,
  uploaded: ReadonlyMap<string, UploadedPhoto> = new Map(),
): string =>
  [blocksOf(source.body, liveUrl, { all: source.photos, uploaded }), linkParagraph(liveUrl, source.coverage)]
    .filter(Boolean)
    .join('\n\n');

/**
 * Makes a draft from an update. Its photos are links until `placePhotos` replaces them.
 * @param liveUrl URL of the update
 * @throws Refused
 */
export async function makeDraft(
  wordpress: WordPress,
  source: DraftSource,
  liveUrl: string,
  access: WordPressAccess,
): Promise<DraftPost> {
  const content = contentOf(source, liveUrl);
  const existing = source.is_repeated ? await findDraft(wordpress, liveUrl, access) : undefined;
  const json = { status: 'draft', title: escapeHtml(source.headline), content };
  const id =
    existing?.id ??
    responseId(
      await callWordPress(wordpress, { route: '/wp/v2/posts', query: { _fields: 'id' }, json }, access),
    );
  const link = `${wordpress.url}/wp-admin/post.php?post=${id}&action=edit`;
  return { id, link, isUntouched: !existing || existing.content === content };
}

/** Returns the id and content of a post that has the link to an update. */
async function findDraft(
  wordpress: WordPress,
  liveUrl: string,
  access: WordPressAccess,
): Promise<{ id: number; content: string } | undefined> {
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
  return posts
    .map(({ id, content }) => ({ id, content: content?.raw ?? '' }))
    .find(({ content }) => content.includes(`href="${liveUrl}"`));
}

/**
 * Uploads a photo to the media library, with its texts.
 * @throws Refused, for example because the user of WordPress may not upload files
 */
export async function uploadToMediaLibrary(
  wordpress: WordPress,
  photo: DraftPhoto,
  bytes: Uint8Array<ArrayBuffer>,
  access: WordPressAccess,
): Promise<UploadedPhoto> {
  const query = {
    alt_text: photo.alt,
    caption: escapeHtml(photoLine(photo)),
    _fields: 'id,source_url',
  };
  const file = { bytes, type: 'image/webp', name: `${photo.id}.webp` };
  const media = await callWordPress(wordpress, { route: '/wp/v2/media', query, file }, access);
  const { source_url } = media as { source_url?: unknown };
  const url = typeof source_url === 'string' ? URL.parse(source_url) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Refused('bad_state', 'wordpress_not_understood');
  return { id: responseId(media), url: url.href };
}

/**
 * Puts uploaded photos into their places in a draft, and makes the first one its featured image.
 * @throws Refused
 */
export async function placePhotos(
  wordpress: WordPress,
  draft: DraftPost,
  source: DraftSource,
  liveUrl: string,
  uploaded: ReadonlyMap<string, UploadedPhoto>,
  access: WordPressAccess,
): Promise<void> {
  const [first] = uploaded.values();
  const json = { content: contentOf(source, liveUrl, uploaded), featured_media: first?.id };
  const call = { route: `/wp/v2/posts/${draft.id}`, query: { _fields: 'id' }, json };
  await callWordPress(wordpress, call, access);
}
