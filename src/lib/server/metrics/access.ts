import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { addressRange } from '../../http/request.ts';

/** Headers that a proxy adds: the client is then on another machine. */
const PROXY_HEADERS =
  /^(?:forwarded|via|origin|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-.*|fly-client-ip|x-cluster-client-ip)$/;

/**
 * Whether a client may read the metrics: with the token, or without it from a program on this machine, if no proxy is
 * in front (behind one every visitor comes from this machine).
 */
export function mayReadMetrics(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { proxies, token }: { proxies: number; token: string | undefined },
): boolean {
  const { headers, socket } = request;
  const givenToken = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (givenToken !== undefined) return token !== undefined && isEqual(givenToken, token);
  return (
    proxies === 0 &&
    isLoopback(socket.remoteAddress ?? '') &&
    // Protects against DNS rebinding: a page under a foreign name that resolves to this machine could read the metrics.
    isLoopback(hostOf(headers.host ?? '')) &&
    headers['sec-fetch-site'] === undefined &&
    !Object.keys(headers).some((name) => PROXY_HEADERS.test(name))
  );
}

const isLoopback = (host: string) => host === 'localhost' || addressRange(host) === 'loopback';

/** Removes the port. */
const hostOf = (host: string) =>
  /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(host)?.slice(1).join('') ?? '';

/** Compares digests, so that the time reveals neither length nor prefix of the token. */
function isEqual(givenToken: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(givenToken), digest(token));
}
