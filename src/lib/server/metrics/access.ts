import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Headers that a proxy adds: the client is then on another machine. */
const FROM_ELSEWHERE =
  /^(?:forwarded|via|origin|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-.*|fly-client-ip|x-cluster-client-ip)$/;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether a client may read the metrics: with the token, or without it from a program on this machine, if no proxy is
 * in front (behind one every visitor comes from this machine).
 */
export function mayReadNumbers(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { proxies, token }: { proxies: number; token: string | undefined },
): boolean {
  const { headers, socket } = request;
  const shown = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (shown !== undefined) return token !== undefined && same(shown, token);
  return (
    proxies === 0 &&
    isLoopback(socket.remoteAddress ?? '') &&
    // Protects against DNS rebinding: a page under a foreign name that resolves to this machine could read the metrics.
    isLoopback(hostOf(headers.host ?? '')) &&
    headers['sec-fetch-site'] === undefined &&
    !Object.keys(headers).some((name) => FROM_ELSEWHERE.test(name))
  );
}

function isLoopback(address: string): boolean {
  if (address === 'localhost') return true;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && loopback.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

/** Removes the port. */
const hostOf = (host: string) =>
  /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(host)?.slice(1).join('') ?? '';

/** Compares digests, so that the time reveals neither length nor prefix of the token. */
function same(shown: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token));
}
