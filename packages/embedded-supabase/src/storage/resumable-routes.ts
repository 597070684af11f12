import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { requestAddress } from '../gateway/client-address.ts';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { SERVICE_CALLER } from './as-caller.ts';
import { admit, callerOf } from './context.ts';
import { limitRequests, limitUploads } from './rate-limits.ts';
import type { Resumable, UploadClient } from './resumable.ts';
import { uploadRejection } from './resumable-completion.ts';
import type { Signatures } from './types.ts';

/** A signature is valid for one path. A client that missed the response begins again. */
const MOST_PARTS = { person: 20, signature: 2 };

/**
 * `/storage/v1/upload/resumable` with a token, and `/sign` below it with a signature. It runs before the common
 * middleware, because the protocol has its own OPTIONS and CORS headers, and bodies of any size.
 */
export function resumableRoutes(
  resumable: Resumable,
  signatures: Signatures,
  context: Pick<GatewayContext, 'keys' | 'tokens'>,
): Hono<RequestVariables> {
  const routes = new Hono<RequestVariables>();
  routes.onError((error) => {
    const { status_code: status, body } = uploadRejection(error);
    return new Response(body, { status, headers: { 'access-control-allow-origin': '*' } });
  });
  routes.use(forBrowsers(context));
  routes.options('*', (c) => resumable.options(c.req.raw));
  const pace = [limitRequests(context), limitUploads()] as const;
  routes.all('/sign/*', ...pace, (c) =>
    resumable.answer(c.req.raw, bySignature(c.req.header('x-signature') ?? '', signatures)),
  );
  routes.all('/*', admit(context), ...pace, async (c) => {
    const caller = await callerOf(c, context, '');
    const { role, sub } = caller.claims;
    const upsert = c.req.header('x-upsert') === 'true';
    return resumable.answer(c.req.raw, {
      by: 'person',
      mostParts: role === 'service_role' ? Number.POSITIVE_INFINITY : MOST_PARTS.person,
      permit: async () => ({ owner: `${role}:${sub ?? ''}`, ownerId: sub, upsert }),
      as: (operation) => ({ ...caller, operation }),
    });
  });
  return routes;
}

/** The signer's rights were checked, so the service role writes it. */
function bySignature(token: string, signatures: Signatures): UploadClient {
  return {
    by: 'signature',
    mostParts: MOST_PARTS.signature,
    async permit({ bucket, name }) {
      const place = `${bucket}/${name}`;
      const { owner: ownerId, upsert = false } = await signatures.verify(token, 'upload', place);
      return { owner: `signature:${ownerId ?? ''}:${place}`, ownerId, upsert };
    },
    as: (operation) => SERVICE_CALLER(`${operation}_signed`),
  };
}

/** Also what was refused before the protocol's server saw it may be read by the page that asked. */
const forBrowsers = ({ keys }: Pick<GatewayContext, 'keys'>) =>
  createMiddleware<RequestVariables>(async (c, next) => {
    c.set('address', requestAddress(c, keys));
    await next();
    c.header('access-control-allow-origin', '*');
  });
