import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** What a proxy adds, ours or not: then somebody elsewhere asks. */
const FROM_ELSEWHERE =
  /^(?:forwarded|via|origin|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-.*|fly-client-ip|x-cluster-client-ip)$/;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * May this one read the numbers? Whoever has the token; without it a program on this machine alone, where no proxy stands
 * in front that would make one of every visitor.
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
    // A name that leads here is anybody's to make, and a page under it is then read by its maker.
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

/** Without its port. */
const hostOf = (host: string) =>
  /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(host)?.slice(1).join('') ?? '';

/** Of their digests, so that neither length nor beginning can be told from the time that it takes. */
function same(shown: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token));
}
