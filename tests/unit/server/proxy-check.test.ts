import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { log } from '../../../src/lib/data/log.ts';
import { ProxyCheck } from '../../../src/lib/server/forwarding.ts';

const warn = vi.spyOn(log, 'warn').mockImplementation(() => {});
afterEach(() => void warn.mockClear());

const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe('ProxyCheck', () => {
  it.each([
    ['127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }],
    ['::1', { forwarded: 'for=192.0.2.1' }],
    ['::ffff:127.0.0.1', { via: '1.1 caddy' }],
    ['172.17.0.1', { 'x-real-ip': '192.0.2.1' }],
  ])('warns once of a proxy at %s that the setting does not count', (address, headers) => {
    const check = new ProxyCheck({ proxies: 0 });
    expect(check.isUndeclared(from(address))).toBe(false);
    expect(check.warning()).toBeUndefined();
    for (let n = 0; n < 3; n++) expect(check.isUndeclared(from(address, headers))).toBe(true);
    expect(check.warning()).toBe('proxy_not_declared');
    expect(warn).toHaveBeenCalledOnce();
  });

  it('does not believe the headers of a client elsewhere', () => {
    const check = new ProxyCheck({ proxies: 0 });
    expect(check.isUndeclared(from('192.0.2.1', { 'x-forwarded-for': '127.0.0.1' }))).toBe(false);
    expect(check.warning()).toBeUndefined();
  });

  it('knows of a site with https that a proxy stands in front, also where that names no client', () => {
    const check = new ProxyCheck({ proxies: 0, siteUrl: 'https://news.example' });
    expect(check.warning()).toBe('proxy_not_declared');
    expect(check.isUndeclared(from('127.0.0.1'))).toBe(true);
    expect(check.isUndeclared(from('192.0.2.1'))).toBe(false);
  });

  it('warns once when the declared proxies name no client', () => {
    const check = new ProxyCheck({ proxies: 2 });
    for (let n = 0; n < 19; n++) check.isUndeclared(from('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }));
    expect(check.warning()).toBeUndefined();
    for (let n = 0; n < 3; n++) check.isUndeclared(from('127.0.0.1'));
    expect(check.warning()).toBe('proxy_header_missing');
    expect(warn).toHaveBeenCalledOnce();
    check.isUndeclared(from('127.0.0.1', { 'x-forwarded-for': '192.0.2.1, 192.0.2.2' }));
    expect(check.warning()).toBeUndefined();
  });

  it('is right where one proxy names the client, whatever a probe on this machine sends', () => {
    const check = new ProxyCheck({ proxies: 1 });
    check.isUndeclared(from('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }));
    for (let n = 0; n < 50; n++) check.isUndeclared(from('127.0.0.1'));
    expect(check.warning()).toBeUndefined();
    expect(warn).not.toHaveBeenCalled();
  });
});
