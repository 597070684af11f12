import { type Context, Hono } from 'hono';
import { clientNetwork } from '../gateway/client-network.ts';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { bearerToken, requestAddress } from '../gateway/rate-limits.ts';
import { apiKeyTypeOf } from '../keys.ts';
import { rateLimitByClient, requestCallerClass } from '../rest/caller-class.ts';
import type { CallerClass } from '../rest/query-limits.ts';
import { InvalidTokenError } from '../tokens.ts';
import { forwardRequest, MAX_BODY_BYTES } from './forward.ts';
import type { Functions } from './functions.ts';
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
  const takeTokens = rateLimitByClient(RATES);
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

/** A function that ends the call, or, for a rejected call, the seconds to wait before a retry. */
type QueuedCall = { finish(): void } | { waitS: number };

type QueuedCaller = {
  /** Client network. Callers without one are limited only in total. */
  network: string | undefined;
  /** Callers of one network and class share a rate limit. */
  callerClass: string;
  /** Takes a call from the rate limit. @returns 0, or the seconds until the next one is allowed */
  take(): number;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
};

type QueueLimits = {
  /** Concurrent calls, in total and of one network. */
  maxRunning: number;
  maxRunningPerNetwork: number;
  /** Waiting calls, in total and of one network and class. */
  maxWaiting: number;
  maxWaitingPerNetwork: number;
  maxWaitMs: number;
};

const rateLimitKey = ({ network, callerClass }: QueuedCaller) => `${callerClass} ${network}`;

type WaitingCall = QueuedCaller & { since: number; settle(result: QueuedCall): void };

/**
 * Limits concurrent calls, in total and per client network. Further calls wait in order; calls of a network that has
 * reached its limit let others pass. A call is rejected if its queue is full or it waits too long.
 */
export function openCallQueue({
  maxRunning,
  maxRunningPerNetwork,
  maxWaiting,
  maxWaitingPerNetwork,
  maxWaitMs,
}: QueueLimits) {
  const queue: WaitingCall[] = [];
  const runningOfNetworks = new Map<string | undefined, number>();
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  const runningOf = (network: string | undefined) => runningOfNetworks.get(network) ?? 0;

  function start({ network }: QueuedCaller): QueuedCall {
    running += 1;
    runningOfNetworks.set(network, runningOf(network) + 1);
    let hasLeft = false;
    return {
      finish() {
        if (hasLeft) return;
        hasLeft = true;
        running -= 1;
        if (runningOf(network) > 1) runningOfNetworks.set(network, runningOf(network) - 1);
        else runningOfNetworks.delete(network);
        startWaitingCalls();
      },
    };
  }

  const isFull = (network: string | undefined) =>
    running >= maxRunning || (network !== undefined && runningOf(network) >= maxRunningPerNetwork);

  /** Starts the calls that may run, and rejects those that have waited too long. */
  function startWaitingCalls(): void {
    clearTimeout(timer);
    const now = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    const pausedKeys = new Set<string>();
    for (const call of [...queue]) {
      const remainingMs = call.since + maxWaitMs - now;
      if (remainingMs <= 0) call.settle({ waitS: Math.ceil(maxWaitMs / 1000) });
      else if (!isFull(call.network) && !pausedKeys.has(rateLimitKey(call))) {
        const waitS = call.take();
        if (waitS === 0) call.settle(start(call));
        else pausedKeys.add(rateLimitKey(call));
        if (waitS > 0) nextMs = Math.min(nextMs, waitS * 1000);
      }
      if (remainingMs > 0) nextMs = Math.min(nextMs, remainingMs);
    }
    if (queue.length > 0) timer = setTimeout(startWaitingCalls, Math.max(1, Math.min(nextMs, maxWaitMs)));
  }

  return {
    async enter(caller: QueuedCaller): Promise<QueuedCall> {
      const { network } = caller;
      const waitingCount = queue.filter((call) => rateLimitKey(call) === rateLimitKey(caller)).length;
      const waitS = waitingCount > 0 || isFull(network) ? 1 : caller.take();
      if (waitS === 0) return start(caller);
      // A caller that has left sends no event any more.
      if (caller.signal.aborted) return { waitS };
      if (queue.length >= maxWaiting || (network !== undefined && waitingCount >= maxWaitingPerNetwork))
        return { waitS };
      return new Promise((resolve) => {
        const call: WaitingCall = {
          ...caller,
          since: performance.now(),
          settle(result) {
            caller.signal.removeEventListener('abort', cancel);
            queue.splice(queue.indexOf(call), 1);
            resolve(result);
          },
        };
        const cancel = () => call.settle({ waitS });
        caller.signal.addEventListener('abort', cancel);
        queue.push(call);
        startWaitingCalls();
      });
    },
  };
}

type CallQueue = ReturnType<typeof openCallQueue>;
