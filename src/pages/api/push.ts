import type { APIContext, APIRoute } from 'astro';
import { removeAlertDevice } from '../../lib/data/follows.ts';
import { type Session, sessionOf } from '../../lib/data/session.server.ts';
import { parseRegistration, savePush } from '../../lib/http/follow-forms.server.ts';
import { isSameOrigin } from '../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../lib/http/responses.ts';
import { Refused, refusal, refusalOrThrow } from '../../lib/i18n/refusals.ts';

/* Registers this device for alerts (`POST { person, subscription, former? }`, returns `{ id }`) or removes it
   (`DELETE { id }`). A service worker may call it long after the page was closed, so the session must belong to
   `person`. */

export const POST: APIRoute = (context) =>
  answering(context, async ({ person, backend }, said) => {
    const telling = parseRegistration(said);
    if (!telling) throw new Refused('invalid');
    if (telling.person !== person?.id) throw new Refused('forbidden');
    return savePush(backend, telling, context.request);
  });

export const DELETE: APIRoute = (context) =>
  answering(context, async ({ backend }, said) => {
    const { id } = (said ?? {}) as { id?: unknown };
    if (typeof id !== 'string') throw new Refused('invalid');
    await removeAlertDevice(backend, id);
    return {};
  });

async function answering(
  { locals, request, url }: APIContext,
  act: (session: Session, said: unknown) => Promise<object>,
): Promise<Response> {
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  try {
    const session = sessionOf(locals);
    if (!session.person) return refusalResponse(refusal('signed_out'), locals.messages);
    return jsonResponse(await act(session, await request.json().catch(() => undefined)));
  } catch (error) {
    return refusalResponse(refusalOrThrow(error), locals.messages);
  }
}
