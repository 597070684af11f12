import { type Context, Hono } from 'hono';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { bearerToken, clientNetwork, requestAddress } from '../gateway/rate-limits.ts';
import { apiKeyTypeOf } from '../keys.ts';
import { createRateLimit, requestCallerClass } from '../rest/caller-class.ts';
import type { CallerClass } from '../rest/query-limits.ts';
import { InvalidTokenError } from '../tokens.ts';
import { forwardRequest, MAX_BODY_BYTES } from './forward.ts';
import type { Functions } from './functions.ts';
import { type CallQueue, openCallQueue, type QueueLimits } from './queue.ts';
import { type FunctionErrorCode, functionError } from './refusals.ts';

const PATH = '/functions/v1';

/**
 * Limits for calls of one function. Further calls wait with their connections open: all readers of a newsroom may
 * share one address, and none should be rejected because others call too.
 */
const CALL_LIMITS: QueueLimits = {
  maxRunning: 96,
  maxRunningPerNetwork: 24,
  maxWaiting: 1_000,
  maxWaitingPerNetwork: 240,
  maxWaitMs: 20_000,
};

/**
 * Rate limits per client network. Visitors have twice the rate for tables: each call is an action of a person, and
 * pages make none automatically.
 */
const RATES = { visitor: { capacity: 120, perSecond: 20 }, signed_in: { capacity: 300, perSecond: 30 } };

type FunctionsContext = Pick<GatewayContext, 'keys' | 'tokens'>;

/**
 * Creates the routes `/functions/v1/<name>`. They require no API key: a function with `verify_jwt` requires a token,
 * and other functions check their callers themselves.
 */
export function functionRoutes(functions: Functions, context: FunctionsContext): Hono<RequestVariables> {
  const takeTokens = createRateLimit(RATES);
  const queues = new Map<string, CallQueue>();
  const queueOf = (name: string) => {
    const queue = queues.get(name) ?? openCallQueue(CALL_LIMITS);
    queues.set(name, queue);
    return queue;
  };

  const handleCall = async (c: Context<RequestVariables, '/:name'>) => {
    const name = c.req.param('name');
    const servedFunction = functions.find(name);
    if (!servedFunction) return functionError('NOT_FOUND');
    const address = requestAddress(c, context.keys);
    // A browser's CORS preflight request contains no token.
    const refusal =
      servedFunction.verifyJwt && c.req.method !== 'OPTIONS' && (await tokenRefusal(c, context));
    if (refusal) return functionError(refusal);
    // `forwardRequest` counts the bytes of a body without a declared length.
    if (Number(c.req.header('content-length') ?? 0) > MAX_BODY_BYTES) return functionError('TOO_LARGE');
    const callerClass = await classOfCaller(c, address, context);
    const queued = await queueOf(name).enter({
      network: callerClass === 'server' || !address ? undefined : clientNetwork(address),
      callerClass,
      take: () => takeTokens(address, callerClass),
      signal: c.req.raw.signal,
    });
    if ('waitS' in queued) return functionError('TOO_MANY_REQUESTS', queued.waitS);
    const { finish } = queued;
    const call = await servedFunction.runner.call();
    if (typeof call === 'string') {
      finish();
      return functionError(call);
    }
    call.connection.once('close', finish);
    const { pathname, search } = new URL(c.req.url);
    const path = pathname.slice(PATH.length) + search;
    return forwardRequest(c.req.raw, path, call, address);
  };
  return new Hono<RequestVariables>().all('/:name', handleCall).all('/:name/*', handleCall);
}

/** Returns the class of the caller. The classes are the same as for tables. */
function classOfCaller(
  c: Context<RequestVariables>,
  address: string | undefined,
  { keys, tokens }: FunctionsContext,
): Promise<CallerClass> {
  const bearer = bearerToken(c.req.header('authorization'));
  const key = c.req.header('apikey') ?? bearer;
  const typeOf = (apiKey: string | undefined) =>
    apiKey === undefined ? undefined : apiKeyTypeOf(keys, apiKey);
  const token = typeOf(bearer) ? undefined : bearer;
  return requestCallerClass({ token, apiKeyType: typeOf(key), address }, tokens);
}

async function tokenRefusal(
  c: Context<RequestVariables>,
  { keys, tokens }: FunctionsContext,
): Promise<FunctionErrorCode | undefined> {
  const authorization = c.req.header('authorization');
  if (!authorization) return 'UNAUTHORIZED_NO_AUTH_HEADER';
  const token = bearerToken(authorization);
  if (!token) return 'UNAUTHORIZED_INVALID_JWT_FORMAT';
  // The token may be an API key, because older projects have API keys in the form of a token.
  if (apiKeyTypeOf(keys, token)) return undefined;
  try {
    await tokens.verify(token);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidTokenError) return 'UNAUTHORIZED_ASYMMETRIC_JWT';
    throw error;
  }
}
