import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { isDatabaseError, UnavailableError } from '../engine/errors.ts';
import { runWithLimits } from '../engine/work.ts';
import { FairSemaphore } from '../fair-semaphore.ts';
import { KEY_CLAIMS } from '../gateway/context.ts';
import { createRequestContext, type RequestContext } from '../gateway/request-context.ts';
import { logError } from '../gateway/responses.ts';
import type { ApiKeyType } from '../keys.ts';
import { type Claims, InvalidTokenError, type Tokens } from '../tokens.ts';
import { MAX_AUTHORIZATION_QUERIES } from './limits.ts';

/** API key of a client. */
export type ApiKey = { key: string; type: ApiKeyType };

export type Access = ReturnType<typeof openAccess>;

/** On a public topic every client has all permissions. */
export const ALL_PERMISSIONS: TopicPermissions = {
  broadcast: { read: true, write: true },
  presence: { read: true, write: true },
};

export function openAccess(engine: Engine, tokens: Tokens) {
  const semaphore = new FairSemaphore({
    size: MAX_AUTHORIZATION_QUERIES,
    rejection: () => new UnavailableError('The backend stops.'),
  });
  /** Permission queries that have not started, by claims and topic. Equal queries share one result. */
  const pendingQueries = new Map<string, Promise<TopicPermissions>>();
  return {
    /**
     * Returns the claims of the token, or those of the API key if there is no token or the token is an API key.
     * @throws InvalidTokenError
     */
    async resolveClaims({ key, type }: ApiKey, token: string | undefined): Promise<Claims> {
      if (!token || token === key || token.startsWith('sb_')) return KEY_CLAIMS[type];
      return tokens.verify(token);
    },
    /**
     * Returns the permissions of these claims on a private topic.
     * @param client client network that waits for the query
     * @throws as queryPermissions
     */
    async permissions(claims: Claims, topic: string, client: string | undefined): Promise<TopicPermissions> {
      if (claims.role === 'service_role') return ALL_PERMISSIONS;
      const queryKey = JSON.stringify([claims, topic]);
      const pendingQuery = pendingQueries.get(queryKey);
      if (pendingQuery) return pendingQuery;
      const query = semaphore.run(client, async () => {
        // PGlite answers before Node reads the next socket. Without this pause, clients that join at the same moment
        // would not share a query.
        await nextTurn();
        pendingQueries.delete(queryKey);
        return runWithLimits({ client }, () => queryPermissions(engine, claims, topic));
      });
      pendingQueries.set(queryKey, query);
      return query;
    },
    /** Rejects the queries that wait for the semaphore. */
    close: () => semaphore.cancel(),
  };
}

/** Permissions on a topic: receive and send, for messages and presence. */
export type TopicPermissions = Record<'broadcast' | 'presence', { read: boolean; write: boolean }>;

const NO_PERMISSIONS = { read: false, write: false };

/**
 * Evaluates the policies on realtime.messages for these claims, in a transaction that it rolls back.
 * @throws DatabaseFault if the session has ended; UnavailableError
 */
export async function queryPermissions(
  engine: Engine,
  claims: Claims,
  topic: string,
): Promise<TopicPermissions> {
  // PostgreSQL cannot store a NUL in text, so no policy can allow such a topic.
  if (topic.includes('\0')) return { broadcast: NO_PERMISSIONS, presence: NO_PERMISSIONS };
  const context = await contextOf(engine);
  const transaction = await engine.db.startTransaction().execute();
  try {
    const probes = await sql<{ position: string }>`
      insert into realtime.messages (topic, extension)
      select set_config('realtime.topic', ${topic}, true), kind from unnest(array['broadcast', 'presence']) kind
      returning position::text`.execute(transaction);
    await context.apply(transaction, claims);
    const positions = `{${probes.rows.map(({ position }) => position)}}`;
    const { rows } = await sql<{ rights: TopicPermissions }>`
      select realtime.try_rights(${positions}::bigint[]) as rights`.execute(transaction);
    if (!rows[0]) throw new Error('The database returned no row.');
    return rows[0].rights;
  } finally {
    await transaction.rollback().execute();
  }
}

const contexts = new WeakMap<Engine, Promise<RequestContext>>();

/** Returns the request context of an engine. The first join reads its settings. Migrations have run by then. */
function contextOf(engine: Engine): Promise<RequestContext> {
  const cached = contexts.get(engine);
  if (cached) return cached;
  const context = createRequestContext(engine);
  const prepared = context.loadSettings().then(() => context);
  // After an error the next call tries again.
  prepared.catch(() => contexts.delete(engine));
  contexts.set(engine, prepared);
  return prepared;
}

/** A refused join. As on Supabase's own server, the message is a code and a sentence. */
export class JoinError extends Error {
  override name = 'JoinError';
}

export const readDeniedError = (topic: string) =>
  new JoinError(`Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`);

/** Error message of a Supabase project in which *Allow public access* is off. */
export const PRIVATE_ONLY_MESSAGE = 'This project only allows private channels';

export const RATE_LIMIT_MESSAGE = 'Too many messages per second';

/**
 * Returns true if the database's pre-request function (`db-pre-request` of PostgREST) refused the session, because the
 * session has ended.
 */
export const isSignedOut = (error: unknown) => isDatabaseError(error) && error.code.startsWith('PT4');

/** Returns the error message for the client, without internal details. */
export function joinErrorMessage(error: unknown, topic: string): string {
  if (error instanceof JoinError) return error.message;
  if (error instanceof InvalidTokenError) {
    return error.expired
      ? 'InvalidJWTToken: Token has expired'
      : 'JwtSignatureError: Failed to validate JWT signature';
  }
  if (isSignedOut(error)) return readDeniedError(topic).message;
  if (!(error instanceof UnavailableError)) logError(error);
  return 'UnableToConnectToProject: Realtime was unable to connect to the project database';
}
