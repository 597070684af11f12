import type { APIRoute } from 'astro';
import { myDataName, readMyData } from '../../lib/data/people.ts';
import { sessionOf } from '../../lib/data/session.server.ts';
import { signInPath } from '../../lib/domain/return-path.ts';
import { NO_STORE } from '../../lib/http/cache-policy.ts';
import { refusalAnswer } from '../../lib/http/responses.ts';
import { refusal, refusalOrThrow } from '../../lib/i18n/refusals.ts';

/** All that is kept about whoever is signed in, as a file. Why no password is asked: docs/decisions/2026-11-21-personal-data.md. */
export const GET: APIRoute = async ({ locals, redirect, request, url }) => {
  const { person, backend } = sessionOf(locals);
  // Back to the page, not to a file that comes out of nothing.
  const signIn = () => redirect(signInPath(new URL('/account', url)), 303);
  if (!person) return signIn();
  // Another site cannot read it, and has no business to have it put into anybody's folder.
  if (/^(cross|same)-site$/.test(request.headers.get('sec-fetch-site') ?? ''))
    return refusalAnswer(refusal('forbidden'));
  const data = await readMyData(backend).catch((error) => {
    if (refusalOrThrow(error).code !== 'signed_out') throw error;
  });
  if (data === undefined) return signIn();
  return new Response(data, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${myDataName(person.handle, new Date())}"`,
      'cache-control': NO_STORE,
    },
  });
};
