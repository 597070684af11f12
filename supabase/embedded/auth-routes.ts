import { type Context, Hono } from 'hono';
import { authRefusal } from './answers.ts';
import type { Claims } from './caller.ts';
import type { House, Visit } from './house.ts';
import { issueTokens } from './session-tokens.ts';
import { TokenRefused } from './tokens.ts';

/** `/auth/v1`: the calls that need no mail. What would send one is not let in, rather than promised and lost. */
export function authRoutes(house: House): Hono<Visit> {
  const answer = async (c: Context<Visit>) => {
    let claims: Claims | undefined;
    try {
      const token = c.get('token');
      claims = token ? await house.tokens.verify(token) : undefined;
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      return authRefusal(
        403,
        'bad_jwt',
        `invalid JWT: unable to parse or verify signature, ${error.message}`,
      );
    }
    const response = await house.lite.auth(await inward(c), claims);
    return issueTokens(response, house);
  };

  return new Hono<Visit>()
    .post('/signup', answer)
    .post('/token', answer)
    .post('/logout', answer)
    .get('/user', answer)
    .put('/user', answer)
    .get('/settings', answer)
    .get('/health', answer);
}

async function inward(c: Context<Visit>): Promise<Request> {
  const headers = new Headers();
  const type = c.req.header('content-type');
  if (type) headers.set('content-type', type);
  return new Request(c.req.url, {
    method: c.req.method,
    headers,
    body: c.req.method === 'GET' ? undefined : await c.req.arrayBuffer(),
  });
}
