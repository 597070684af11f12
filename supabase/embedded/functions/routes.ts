import { type Context, Hono } from 'hono';
import type { House, Visit } from '../house.ts';
import { keyHolder } from '../keys.ts';
import { addressOf } from '../limits.ts';
import { TokenRefused } from '../tokens.ts';
import { forward, LARGEST_BODY } from './forward.ts';
import type { Functions } from './functions.ts';
import { type Refusal, refusal } from './refusals.ts';

const PATH = '/functions/v1';

type Asker = Pick<House, 'keys' | 'tokens'>;

/**
 * `/functions/v1/<name>` and what is below it. Like hosted's it asks for no API key: a function with `verify_jwt` is
 * for those who bring a token, any other asks for its caller itself.
 */
export function functionRoutes(functions: Functions, asker: Asker): Hono<Visit> {
  const serve = async (c: Context<Visit, '/:name'>) => {
    const one = functions.find(c.req.param('name'));
    if (!one) return refusal('NOT_FOUND');
    // A browser asks before it sends what it has to show.
    const refused = one.verifyJwt && c.req.method !== 'OPTIONS' && (await refusedToken(c, asker));
    if (refused) return refusal(refused);
    // A length that is not declared is counted on the way.
    if (Number(c.req.header('content-length') ?? 0) > LARGEST_BODY) return refusal('TOO_LARGE');
    const call = await one.runner.call();
    if (typeof call === 'string') return refusal(call);
    const { pathname, search } = new URL(c.req.url);
    const path = pathname.slice(PATH.length) + search;
    return forward(c.req.raw, path, call, addressOf(c.req.header('x-forwarded-for')));
  };
  return new Hono<Visit>().all('/:name', serve).all('/:name/*', serve);
}

async function refusedToken(c: Context<Visit>, { keys, tokens }: Asker): Promise<Refusal | undefined> {
  const given = c.req.header('authorization');
  if (!given) return 'UNAUTHORIZED_NO_AUTH_HEADER';
  const token = /^Bearer\s+(\S+)$/i.exec(given)?.[1];
  if (!token) return 'UNAUTHORIZED_INVALID_JWT_FORMAT';
  // A key in the form of a token, as older projects have.
  if (keyHolder(keys, token)) return undefined;
  try {
    await tokens.verify(token);
    return undefined;
  } catch (error) {
    if (error instanceof TokenRefused) return 'UNAUTHORIZED_ASYMMETRIC_JWT';
    throw error;
  }
}
