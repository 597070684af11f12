import type { HttpResponse } from '../_shared/http-client.ts';
import { LIMITS } from '../_shared/limits.ts';
import type { NetworkAccess } from '../_shared/network.ts';
import { openAddress, PAGE_LIMITS, requireAnswer } from '../_shared/open-address.ts';
import { Refused } from '../_shared/refusals.ts';
import { cleanLine, type PageMetadata, readPageMetadata } from './head.ts';

type LinkMetadata = PageMetadata & { title: string };

/**
 * Returns the metadata of the page at a URL.
 * @throws Refused `invalid`, `too_large`, `unavailable`
 */
export async function unfurl(link: string, net: NetworkAccess, limits = PAGE_LIMITS): Promise<LinkMetadata> {
  const read = (response: HttpResponse) => readPage(response, limits.bytes);
  const { title, ...more } = await openAddress(
    { link, accept: 'text/html,application/xhtml+xml', read },
    net,
    limits,
  );
  return { title: title ?? titleFromUrl(link), ...more };
}

async function readPage({ status, headers, body }: HttpResponse, bytes: number): Promise<PageMetadata> {
  requireAnswer(status);
  if (status !== 200) throw refuse('page_not_found');
  const type = headers.get('content-type') ?? '';
  if (!/^(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)) throw refuse('not_a_web_page');
  return readPageMetadata(body, type, bytes);
}

/** Returns host and path as the title of a page without one. */
function titleFromUrl(link: string): string {
  return cleanLine(link.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, ''), LIMITS.link_title);
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });
