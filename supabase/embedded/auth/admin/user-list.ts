import { sql } from 'kysely';
import { invalid } from '../refused.ts';
import { authOf, type Db } from '../tables.ts';
import { type User, withIdentities } from '../users.ts';

/** People of one page where the call does not say, which is GoTrue's number, and at most. */
const PER_PAGE = { usual: 50, most: 1000 };

type Page = {
  /** From 1. */
  page: number;
  perPage: number;
};

/** @throws AuthRefused for what is no number of a page */
export function readPage(page: string | undefined, perPage: string | undefined): Page {
  return {
    page: whole(page, 'page') ?? 1,
    perPage: Math.min(whole(perPage, 'per_page') ?? PER_PAGE.usual, PER_PAGE.most),
  };
}

function whole(given: string | undefined, name: string): number | undefined {
  if (!given) return undefined;
  // Not more than PostgreSQL can count, whatever it is multiplied by.
  if (!/^[1-9]\d{0,8}$/.test(given)) throw invalid(`${name} must be a whole number from 1.`);
  return Number(given);
}

/** One page of all people, newest first. */
export async function listUsers(db: Db, { page, perPage }: Page): Promise<{ users: User[]; total: number }> {
  const { total } = await authOf(db)
    .selectFrom('users')
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  const rows = await authOf(db)
    .selectFrom('users')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset((page - 1) * perPage)
    .limit(perPage)
    .execute();
  return { users: await withIdentities(db, rows), total };
}

/**
 * Where the next and the last page are (RFC 8288), for the client to read.
 * @param url of the page at hand
 */
export function pageLinks(url: string, { page, perPage }: Page, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage));
  const { pathname } = new URL(url);
  const link = (to: number, rel: string) => `<${pathname}?page=${to}&per_page=${perPage}>; rel="${rel}"`;
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ');
}
