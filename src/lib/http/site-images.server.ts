import { createHash } from 'node:crypto';
import { readerClient } from '../data/reader-client.server.ts';
import { type BackendClient, dataOf, runCommand } from '../data/result.ts';
import { type DrawnSiteImage, serverBridge } from '../data/server-bridge.ts';
import { ICON_SIZES, siteImageName, siteImageOf } from '../domain/site-look.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, Refused, refusalOrThrow } from '../i18n/refusals.ts';
import { type CleanSvg, cleanSvg, type SvgProblem } from '../publishing/clean-svg.ts';
import { tags } from './cache-policy.ts';
import { plainAbsence } from './responses.ts';
import { ANY_EMBEDDER } from './security-headers.ts';

/** Maximum size of an upload in bytes: three of them fit into a form. An SVG has a limit of its own. */
const MAX_UPLOAD_BYTES = 300 * 1024;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const isPng = (content: Uint8Array) => PNG_SIGNATURE.equals(content.subarray(0, 8));

/**
 * Cleans an uploaded logo or icon and stores it with its icons, with the caller's own permissions. An SVG is reduced to its
 * shapes, a PNG is re-encoded. The content decides which it is.
 * @param field of the form that an error is about
 * @returns the name for `save_site_identity`
 * @throws Refused `invalid` with a reason, `forbidden`, `unavailable`
 */
export async function storeSiteImage(
  backend: BackendClient,
  upload: Uint8Array,
  field: string,
): Promise<string> {
  if (upload.length > MAX_UPLOAD_BYTES) throw refuse({ reason: 'svg_too_large' }, field);
  const svg = isPng(upload) ? undefined : cleanUpload(upload, field);
  const content = svg ? Buffer.from(svg.svg) : upload;
  if (!serverBridge.drawSiteImage) throw new Refused('unavailable');
  const drawn = await serverBridge.drawSiteImage(content, svg ? 'svg' : 'png');
  const main = svg ? { content, width: svg.width, height: svg.height } : drawn?.logo;
  if (!drawn || !main) throw refuse({ reason: svg ? 'svg_unreadable' : 'png_unreadable' }, field);
  const hash = createHash('sha256').update(main.content).digest('hex');
  const name = siteImageName(hash, { ...main, format: svg ? 'svg' : 'png' });
  await runCommand(backend, 'save_site_image', {
    // An image of 48 by 48 pixels has the name of the icon made from it.
    files: { ...iconFiles(hash, drawn), [name]: base64(main.content) },
  });
  return name;
}

/**
 * Stores the images that a form sends as files, each in the field `<name>_file`.
 * @returns the names by field, and the first refusal
 */
export async function storeSentImages(
  backend: BackendClient,
  form: FormData,
  fields: readonly string[],
): Promise<{ names: Record<string, string>; refused?: Refusal }> {
  const names: Record<string, string> = {};
  let refused: Refusal | undefined;
  for (const field of fields) {
    const file = form.get(`${field}_file`);
    if (!(file instanceof File) || file.size === 0) continue;
    try {
      names[field] = await storeSiteImage(backend, new Uint8Array(await file.arrayBuffer()), field);
    } catch (error) {
      refused ??= refusalOrThrow(error);
    }
  }
  return { names, ...(refused && { refused }) };
}

const iconFiles = (hash: string, { icons }: DrawnSiteImage) =>
  Object.fromEntries(
    ICON_SIZES.map((size, n) => [
      siteImageName(hash, { width: size, height: size, format: 'png' }),
      base64(icons[n] ?? new Uint8Array()),
    ]),
  );

const base64 = (content: Uint8Array) => Buffer.from(content).toString('base64');

function cleanUpload(upload: Uint8Array, field: string): CleanSvg {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(upload);
  } catch {
    throw refuse({ reason: 'image_format' }, field);
  }
  if (!text.includes('<svg')) throw refuse({ reason: 'image_format' }, field);
  const cleaned = cleanSvg(text);
  if ('reason' in cleaned) throw refuse(cleaned, field);
  return cleaned;
}

type ImageProblem = SvgProblem | { reason: 'image_format' | 'png_unreadable'; name?: string };

function refuse({ reason, name = '' }: ImageProblem, field: string): Refused {
  const message = ({ siteIdentity }: Messages) => siteIdentity.imageProblems[reason](name);
  return new Refused('invalid', { field, reason, details: { name }, message });
}

/** Scripts, styles and requests of an image that is opened as a page are blocked. */
const IMAGE_POLICY = "sandbox; default-src 'none'";

/**
 * Serves an image that the site shows. Its name has the hash of its content, so it never changes. The cleaning is repeated:
 * a content that it would change, which another program has stored, is not served.
 * @throws Refused when the database does not answer
 */
export async function serveSiteImage(messages: Messages, name: string): Promise<Response> {
  const content = siteImageOf(name) ? await readSiteImage(readerClient(), name) : null;
  if (!content) return plainAbsence(messages, 'not_found', [tags.missing, tags.site]);
  const headers = new Headers({
    'Content-Type': content.type,
    'Content-Security-Policy': IMAGE_POLICY,
    'Cache-Control': 'public, max-age=31536000, s-maxage=31536000, immutable',
    'Cache-Tag': tags.site,
    ...ANY_EMBEDDER,
  });
  return new Response(new Uint8Array(content.bytes), { headers });
}

type ImageContent = { type: 'image/png' | 'image/svg+xml'; bytes: Buffer };

/** Returns an image as the caller may see it; null for others, and for contents that the cleaning would change. */
async function readSiteImage(backend: BackendClient, name: string): Promise<ImageContent | null> {
  const row = await dataOf(backend.from('site_images').select('content').eq('name', name).maybeSingle());
  if (!row) return null;
  const bytes = Buffer.from(row.content, 'base64');
  if (siteImageOf(name)?.format === 'png') return isPng(bytes) ? { type: 'image/png', bytes } : null;
  const svg = bytes.toString();
  const cleaned = cleanSvg(svg);
  return 'svg' in cleaned && cleaned.svg === svg ? { type: 'image/svg+xml', bytes } : null;
}

/** Returns images as data URLs by name, for the preview of those that are not public yet. */
export async function siteImageUrls(
  backend: BackendClient,
  names: (string | undefined)[],
): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  for (const name of names) {
    const content = name && siteImageOf(name) ? await readSiteImage(backend, name) : null;
    if (name && content) urls.set(name, `data:${content.type};base64,${content.bytes.toString('base64')}`);
  }
  return urls;
}
