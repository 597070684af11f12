import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from './until.ts';

export const PROXIES = ['nginx', 'caddy'] as const;
export type ProxyName = (typeof PROXIES)[number];

/** Debian installs servers in a folder that is not on the PATH of ordinary users. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const VERSION = { nginx: ['-v'], caddy: ['version'] };

export const isInstalled = (name: string, args: string[] = VERSION[name as ProxyName] ?? ['version']) =>
  spawnSync(name, args, { env: { ...process.env, PATH } }).error === undefined;

export type Proxy = { stop(): Promise<void> };

type Places = {
  /** Ports with and without TLS. */
  port: number;
  plainPort: number;
  /** Port of the site. */
  upstream: number;
  certificate: { cert: string; key: string };
};

/** Creates a self-signed certificate for localhost. */
export async function makeCertificate(folder: string): Promise<{ cert: string; key: string; ca: string }> {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const { status, stderr } = spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert]);
  if (status !== 0) throw new Error(String(stderr));
  return { cert, key, ca: await readFile(cert, 'utf8') };
}

/** Runs a proxy with the configuration in `deploy`, with other names, ports and certificates. */
export async function startProxy(name: ProxyName, places: Places): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), `stoppress-${name}-`));
  const child = await RUN[name](folder, places);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const ended = once(child, 'exit');
  void ended.catch(() => undefined);
  await until(`${name} answers on its port`, () => {
    if (child.exitCode !== null) throw new Error(`${name} did not start.\n${said}`);
    return answers(places.port);
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const answers = (port: number) =>
  new Promise<boolean>((tell) => {
    const line = connect(port, '127.0.0.1', () => tell(true) === undefined && line.destroy());
    line.on('error', () => tell(false));
  });

const RUN: Record<ProxyName, (folder: string, places: Places) => Promise<ChildProcess>> = {
  async nginx(folder, { port, plainPort, upstream, certificate }) {
    const site = (await readFile(resolve('deploy/nginx.conf'), 'utf8'))
      .replace(/^\s*listen \[::\].*\n/gm, '')
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace(/ssl_certificate +.*;/, `ssl_certificate ${certificate.cert};`)
      .replace(/ssl_certificate_key +.*;/, `ssl_certificate_key ${certificate.key};`)
      .replaceAll('https://news.example', `https://localhost:${port}`)
      .replaceAll('server_name news.example', 'server_name localhost')
      .replace('127.0.0.1:4321', `127.0.0.1:${upstream}`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (what) => `${what}_temp_path ${folder}/${what};`,
    );
    const whole = `pid ${folder}/pid; error_log stderr; worker_processes 1; daemon off; events {}
      http { access_log off; ${temporary.join(' ')}\n${site}\n}`;
    await writeFile(join(folder, 'nginx.conf'), whole);
    return spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
      env: { PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  },
  async caddy(folder, { port, plainPort, upstream, certificate }) {
    const site = (await readFile(resolve('deploy/Caddyfile'), 'utf8')).replace(
      /^(\{\$SITE_NAME.*\{)$/m,
      `{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n}\n$1\n\ttls ${certificate.cert} ${certificate.key}`,
    );
    await writeFile(join(folder, 'Caddyfile'), site);
    return spawn('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
      env: { PATH, HOME: folder, SITE_NAME: 'localhost', NEWSROOM: `127.0.0.1:${upstream}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  },
};
