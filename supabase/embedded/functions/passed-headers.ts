import type { IncomingHttpHeaders } from 'node:http';
import { REQUEST_ID, requestHeader } from '../../log/request.ts';
import { SERVER_TOKEN } from '../client-address.ts';

/** They concern one connection (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
];

/** A visitor's cookies are the site's, and a visitor's word on where it comes from is nobody's. */
const NOT_PASSED = [
  'host',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  SERVER_TOKEN,
  REQUEST_ID,
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
];

/** What makes an answer a page, which could act in the name of the site that it is served from. */
const ACTIVE = /^\s*(text\/html|[^;]*xml)/i;

/** @param address of who calls; undefined for a call that began on this machine */
export function toFunction(given: Headers, address: string | undefined): Record<string, string> {
  const headers = new Headers(given);
  const named = (headers.get('connection') ?? '').split(',').map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...NOT_PASSED, ...named]) if (name) headers.delete(name);
  headers.set('x-forwarded-for', address ?? '127.0.0.1');
  for (const [name, value] of Object.entries(requestHeader())) headers.set(name, value);
  return Object.fromEntries(headers);
}

/** As hosted answers: no cookie, and nothing that a browser would run. */
export function fromFunction(given: IncomingHttpHeaders, status: number): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (HOP_BY_HOP.includes(name) || name === 'set-cookie' || value === undefined) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (ACTIVE.test(headers.get('content-type') ?? '')) {
    headers.set('content-type', 'text/plain; charset=utf-8');
  }
  headers.set('x-content-type-options', 'nosniff');
  headers.set('content-security-policy', "default-src 'none'; sandbox");
  if (status >= 500 && !headers.has('sb-error-code')) headers.set('sb-error-code', 'EDGE_FUNCTION_ERROR');
  return headers;
}
