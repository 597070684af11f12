import type { APIRoute } from 'astro';
import { myDataName, readMyData } from '../../lib/data/people.ts';
import { sessionOf } from '../../lib/data/session.server.ts';
import { signInPath } from '../../lib/domain/sign-in.ts';
import { NO_STORE } from '../../lib/http/cache-policy.ts';
import { refusalResponse } from '../../lib/http/responses.ts';
import { refusal, refusalOrThrow } from '../../lib/i18n/refusals.ts';

/**
 * Downloads all data about the signed-in person as a file. docs/decisions/2026-11-21-personal-data.md explains why it
 * needs no password.
 */
export const GET: APIRoute = async ({ locals, redirect, request, url }) => {
  const { person, backend } = sessionOf(locals);
  // After signing in, the person returns to the account page instead of starting a download.
  const signIn = () => redirect(signInPath(new URL('/account', url)), 303);
  if (!person) return signIn();
  // Another site cannot read the response, and must not start a download either.
  if (/^(cross|same)-site$/.test(request.headers.get('sec-fetch-site') ?? ''))
    return refusalResponse(refusal('forbidden'), locals.messages);
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
