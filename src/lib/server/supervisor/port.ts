import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import * as net from 'node:net';
import * as util from 'node:util';
import { SERVER } from '../../i18n/cli.ts';
import { originOf, PortTaken } from '../listening.ts';
import type { Environment } from '../settings.ts';

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

/**
 * Tells systemd that visitors are answered, where it asked to be told (Type=notify): by its own program, because Node knows
 * no datagrams on a Unix socket. Where that is missing, the unit says Type=exec.
 */
export function notifyReady(environment: Environment, fail: (error: unknown) => void): void {
  const { NOTIFY_SOCKET, PATH } = environment;
  if (!NOTIFY_SOCKET) return;
  const env = { NOTIFY_SOCKET, PATH };
  execFile('systemd-notify', ['--ready', `--pid=${process.pid}`], { env }, (error) => error && fail(error));
}

/**
 * SIGHUP means two things: a deploy, when a person or systemd sends it; and the end of a terminal that this program was
 * started in.
 * @returns whether the terminal is gone, asked when the signal has come
 */
export function watchTerminal(): () => boolean {
  const had = hasTerminal();
  return () => had && !hasTerminal();
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
