import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import * as net from 'node:net';
import * as util from 'node:util';
import { SERVER } from '../../i18n/cli.ts';
import { originOf, PortInUse } from '../listening.ts';
import type { Environment } from '../settings.ts';

/** A port that this process holds while it runs and that other processes listen on. */
export type HeldPort = { fd: number; url: string; release(): void };

type Handle = { readonly fd: number; getsockname(to: { port?: number }): number; close(): void };

/* The internal function that node:cluster uses. A net.Server would accept connections itself as soon as it listens. */
const { _createServerHandle: bind } = net as unknown as {
  _createServerHandle(
    address: string,
    port: number,
    type: 4 | 6,
    fd: undefined,
    flags: number,
  ): Handle | number;
};

/** The first descriptor that systemd passes. */
const FIRST_FD = 3;

/**
 * Binds the port, or takes over the one of a systemd socket unit. Connections queue in the kernel while no process
 * accepts. The first process that listens on the descriptor opens the port.
 * @throws PortInUse
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
  const error = handle.getsockname(name);
  if (error !== 0) {
    handle.close();
    throw refusalOf(error, port);
  }
  return { fd: handle.fd, url: originOf(host, name.port ?? port), release: () => handle.close() };
}

/** @param error negative errno */
function refusalOf(error: number, port: number): Error {
  const [name, description] = util.getSystemErrorMap().get(error) ?? ['', `error ${error}`];
  if (name === 'EADDRINUSE') return new PortInUse(SERVER.portInUse(port));
  return new PortInUse(SERVER.portRefused(port, description));
}

/**
 * Reports readiness to systemd (Type=notify), with its own program because Node has no datagram Unix sockets. Without
 * that program, use Type=exec.
 */
export function notifyReady(environment: Environment, fail: (error: unknown) => void): void {
  const { NOTIFY_SOCKET, PATH } = environment;
  if (!NOTIFY_SOCKET) return;
  const env = { NOTIFY_SOCKET, PATH };
  execFile('systemd-notify', ['--ready', `--pid=${process.pid}`], { env }, (error) => error && fail(error));
}

/**
 * SIGHUP can mean a deploy (sent by a person or by systemd) or that the terminal was closed.
 * @returns a function that tells, on the signal, whether the terminal is gone
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
