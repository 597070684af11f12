import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { clientAddress } from '../gateway/client-address.ts';
import type { House, Visit } from '../gateway/context.ts';
import { service } from './as-caller.ts';
import { admit, callerOf } from './context.ts';
import { boundUploads, paceQuestions } from './rate-limits.ts';
import type { Resumable, Sender } from './resumable.ts';
import { refusal } from './resumable-completion.ts';
import type { Signatures } from './types.ts';

/** What is signed is good for one place, however often it is signed; whose answer was lost begins once more. */
const MOST_PARTS = { person: 20, signature: 2 };

/**
 * `/storage/v1/upload/resumable`: by whoever shows who they are, and below `/sign` by whoever shows a signature. It
 * stands before what all services have in common: the protocol has an OPTIONS and CORS headers of its own, and bodies
 * of any size.
 */
export function resumableRoutes(
  resumable: Resumable,
  signatures: Signatures,
  house: Pick<House, 'keys' | 'tokens'>,
): Hono<Visit> {
  const routes = new Hono<Visit>();
  routes.onError((error) => {
    const { status_code: status, body } = refusal(error);
    return new Response(body, { status, headers: { 'access-control-allow-origin': '*' } });
  });
  routes.use(forBrowsers(house));
  routes.options('*', (c) => resumable.options(c.req.raw));
  const pace = [paceQuestions(house), boundUploads()] as const;
  routes.all('/sign/*', ...pace, (c) =>
    resumable.answer(c.req.raw, bySignature(c.req.header('x-signature') ?? '', signatures)),
  );
  routes.all('/*', admit(house), ...pace, async (c) => {
    const caller = await callerOf(c, house, '');
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

/** Whoever made the signature was asked for the right then, so it is written as the service. */
function bySignature(token: string, signatures: Signatures): Sender {
  return {
    by: 'signature',
    mostParts: MOST_PARTS.signature,
    async permit({ bucket, name }) {
      const place = `${bucket}/${name}`;
      const { owner: ownerId, upsert = false } = await signatures.verify(token, 'upload', place);
      return { owner: `signature:${ownerId ?? ''}:${place}`, ownerId, upsert };
    },
    as: (operation) => service(`${operation}_signed`),
  };
}

/** Also what was refused before the protocol's server saw it may be read by the page that asked. */
const forBrowsers = ({ keys }: Pick<House, 'keys'>) =>
  createMiddleware<Visit>(async (c, next) => {
    c.set(
      'address',
      clientAddress((name) => c.req.header(name), keys),
    );
    await next();
    c.header('access-control-allow-origin', '*');
  });
