import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import type { Claims } from './caller.ts';
import type { House } from './house.ts';

/** What GoTrue tells of a person, as far as tokens carry it. */
type User = {
  email?: string;
  phone?: string;
  app_metadata?: object;
  user_metadata?: object;
  is_anonymous?: boolean;
};

type Session = { access_token: string; user: User };

/**
 * Puts our own access token in the place of lite's wherever an answer carries one: ES256 with a `kid`, holding
 * what a hosted project's tokens hold, so that `getClaims()` checks it without asking anybody.
 */
export async function issueTokens(response: Response, house: House): Promise<Response> {
  if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) return response;
  const body: unknown = await response.json();
  if (!isSession(body)) return Response.json(body, { status: response.status });
  const session = { ...body, access_token: await accessToken(body, house) };
  return Response.json(session, { status: response.status });
}

function isSession(body: unknown): body is Session {
  return typeof body === 'object' && body !== null && 'access_token' in body && 'user' in body;
}

async function accessToken(
  { access_token, user }: Session,
  { tokens, lite, siteUrl }: House,
): Promise<string> {
  // Straight from lite, over no line: there is nobody between us who could have changed it.
  const inner = decodeJwt<Claims>(access_token);
  return tokens.sign({
    ...inner,
    iss: `${siteUrl}/auth/v1`,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.app_metadata ?? {},
    user_metadata: user.user_metadata ?? {},
    is_anonymous: user.is_anonymous ?? false,
    aal: 'aal1',
    amr: await methods(String(inner.session_id), lite),
  });
}

type Method = { method: string; timestamp: number };

/** How the session was begun, in seconds since 1970: noted when it begins, the same at every refresh. */
async function methods(session: string, lite: House['lite']): Promise<Method[]> {
  const { rows } = await sql<Method>`
    with noted as (
      insert into auth.mfa_amr_claims (session_id, authentication_method) values (${session}, 'password')
      on conflict do nothing returning authentication_method, created_at
    )
    select authentication_method as method, extract(epoch from created_at)::int as timestamp
    from (table noted union select authentication_method, created_at from auth.mfa_amr_claims
          where session_id = ${session}) as all_methods`.execute(lite.db);
  return rows;
}
