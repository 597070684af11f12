import type { APIContext, APIRoute } from 'astro';
import {
  deleteDeviceFollows,
  readDeviceFollows,
  replaceDeviceSubscription,
  saveDeviceFollow,
  targetArgument,
} from '../../lib/data/follows.ts';
import type { BackendClient } from '../../lib/data/result.ts';
import { temporaryClient } from '../../lib/data/session.server.ts';
import {
  type FollowWithoutAccount,
  isFollowScope,
  type PushSubscriptionContent,
  parseSubscription,
} from '../../lib/domain/follows.ts';
import { deviceName } from '../../lib/http/follow-forms.server.ts';
import { isSameOrigin } from '../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../lib/http/responses.ts';
import { Refused, refusal, refusalOrThrow } from '../../lib/i18n/refusals.ts';

/* Follows of this device without an account. Cookies play no part: the push subscription in the body proves which
   browser it is. All methods return `{ follows }`.
   `POST { subscription, former? }` lists them; `former` is the subscription that the browser has renewed.
   `PUT { subscription, kind, slug, scope }` follows. `DELETE { subscription, kind?, slug? }` ends one follow, or all. */

type Content = Record<string, unknown>;

export const POST: APIRoute = (context) =>
  answering(context, async (backend, subscription, { former }) => {
    const replaced = parseSubscription(former);
    return replaced
      ? await replaceDeviceSubscription(backend, replaced, subscription)
      : await readDeviceFollows(backend, subscription);
  });

export const PUT: APIRoute = (context) =>
  answering(context, (backend, subscription, content) => {
    const target = targetOf(content);
    if (!target || !isFollowScope(content.scope)) throw new Refused(refusal('invalid'));
    return saveDeviceFollow(backend, subscription, deviceName(context.request), target, content.scope);
  });

export const DELETE: APIRoute = (context) =>
  answering(context, (backend, subscription, content) => {
    const target = targetOf(content);
    if (!target && 'kind' in content) throw new Refused(refusal('invalid'));
    return deleteDeviceFollows(backend, subscription, target);
  });

function targetOf({ kind, slug }: Content) {
  if ((kind !== 'coverage' && kind !== 'topic') || typeof slug !== 'string') return null;
  return targetArgument({ kind, slug });
}

async function answering(
  context: APIContext,
  act: (
    backend: BackendClient,
    subscription: PushSubscriptionContent,
    content: Content,
  ) => Promise<FollowWithoutAccount[] | null>,
): Promise<Response> {
  const { locals, request, url } = context;
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  try {
    const content = ((await request.json().catch(() => undefined)) ?? {}) as Content;
    const subscription = parseSubscription(content.subscription);
    if (!subscription) throw new Refused(refusal('invalid'));
    return jsonResponse({ follows: (await act(temporaryClient(context), subscription, content)) ?? [] });
  } catch (error) {
    return refusalResponse(refusalOrThrow(error), locals.messages);
  }
}
