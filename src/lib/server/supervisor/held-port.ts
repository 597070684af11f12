import { lookup } from 'node:dns/promises';
import * as net from 'node:net';
import * as util from 'node:util';
import { SERVER } from '../../text/commands.ts';
import { originOf, PortTaken } from '../listening.ts';

/** A port that is held for as long as this process runs, for others to listen on. */
export type HeldPort = { fd: number; url: string; release(): void };

type Handle = { readonly fd: number; getsockname(to: { port?: number }): number; close(): void };

/*
 * node:cluster takes its ports with this. A Server of node:net accepts whatever comes as soon as it listens: held by one,
 * visitors would be taken by a process that has no answer for them.
 */
const { _createServerHandle: bind } = net as unknown as {
  _createServerHandle(
    address: string,
    port: number,
    type: 4 | 6,
    fd: undefined,
    flags: number,
  ): Handle | number;
};

/** The first descriptor that systemd hands over. */
const FIRST_FD = 3;

/**
 * Holds the port, or the one that systemd holds already (a socket unit): what comes while nobody accepts waits in the
 * kernel. The first process that listens on the descriptor opens it to visitors.
 * @throws PortTaken
 */
export async function holdPort(
  host: string,
  port: number,
  environment: Record<string, string | undefined>,
): Promise<HeldPort> {
  const { LISTEN_PID, LISTEN_FDS } = environment;
  if (LISTEN_PID === String(process.pid) && Number(LISTEN_FDS) >= 1) {
    return { fd: FIRST_FD, url: originOf(host, port), release: () => {} };
  }
  const { address, family } = await lookup(host);
  const handle = bind(address, port, family === 6 ? 6 : 4, undefined, 0);
  if (typeof handle === 'number') throw refusalOf(handle, port);
  const name: { port?: number } = {};
  const wrong = handle.getsockname(name);
  if (wrong !== 0) {
    handle.close();
    throw refusalOf(wrong, port);
  }
  return { fd: handle.fd, url: originOf(host, name.port ?? port), release: () => handle.close() };
}

/** @param wrong as the system numbers it, below 0 */
function refusalOf(wrong: number, port: number): Error {
  const [name, words] = util.getSystemErrorMap().get(wrong) ?? ['', `error ${wrong}`];
  if (name === 'EADDRINUSE') return new PortTaken(SERVER.portTaken(port));
  return new PortTaken(SERVER.portRefused(port, words));
}
