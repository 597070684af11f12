import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { freePort } from '../processes.ts';
import { until } from '../until.ts';
import { programPath, type Version, wordpressFiles } from './installed.ts';
import { startMariadb } from './mariadb.ts';
import { startSupervised } from './supervised.ts';

const run = promisify(execFile);

export type WordPress = {
  /** Base URL without a trailing slash. */
  url: string;
  /** Runs PHP within WordPress. Returns what it returns, by JSON. @throws with PHP's errors */
  php<Result>(code: string): Promise<Result>;
  /** Publishes a post with one block. Returns its URL. */
  publishBlock(attributes: Record<string, unknown>): Promise<string>;
  /** Headers of a signed-in person with a role of WordPress, such as `editor`. */
  signIn(role: string): Promise<Record<string, string>>;
  /** Creates a person with a role of WordPress and an application password. */
  applicationPassword(role: string): Promise<{ username: string; password: string }>;
  /** Lines that PHP wrote to its log: notices, warnings and errors. */
  log(): Promise<string>;
  stop(): Promise<void>;
};

/** Processes that answer requests at the same time. */
const WORKERS = '8';

const PLUGIN = 'stoppress/stoppress.php';

/** Starts WordPress on a database of its own, and installs the plugin from its archive as an owner does. */
export async function startWordPress(version: Version): Promise<WordPress> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-wordpress-'));
  const root = join(folder, 'site');
  await unpack(version, root);
  const database = await startMariadb(folder);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = join(folder, 'php.log');
  await writeFile(join(root, 'wp-config.php'), configuration({ url, socket: database.socket, log }));
  await writeFile(join(root, 'run.php'), RUNNER);
  const php = programPath('php');
  const settings = ['-d', `error_log=${log}`, '-d', 'display_errors=stderr', '-d', 'memory_limit=256M'];

  const runPhp = async <Result>(code: string): Promise<Result> => {
    const running = run(php, [...settings, 'run.php'], { cwd: root });
    running.child.stdin?.end(code);
    const { stdout } = await running;
    return JSON.parse(stdout.split(MARK)[1] ?? 'null') as Result;
  };
  await runPhp(INSTALL);
  const archive = join(folder, 'plugin.zip');
  await run(process.execPath, ['src/lib/cli/wordpress-plugin.ts', archive]);
  await runPhp(installPlugin(archive));

  const server = startSupervised(php, [...settings, '-S', `127.0.0.1:${port}`, '-t', root], {
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: WORKERS },
  });
  await until('WordPress answers', () =>
    fetch(`${url}/?rest_route=/`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    url,
    php: runPhp,
    async publishBlock(attributes) {
      const content = `<!-- wp:stoppress/live-coverage ${JSON.stringify(attributes)} /-->`;
      const id = await runPhp<number>(
        `return wp_insert_post( array( 'post_title' => 'The flood', 'post_status' => 'publish', 'post_content' => ${phpText(content.replaceAll('\\', '\\\\'))} ) );`,
      );
      return `${url}/?p=${id}`;
    },
    async signIn(role) {
      const cookies = await runPhp<Record<string, string>>(signInAs(role));
      return {
        cookie: Object.entries(cookies)
          .map((pair) => pair.join('='))
          .join('; '),
      };
    },
    applicationPassword: (role) => runPhp(applicationPasswordOf(role)),
    log: () => readFile(log, 'utf8').catch(() => ''),
    async stop() {
      await server.stop();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Unpacks WordPress, without the drop-in for another database. */
async function unpack(version: Version, root: string): Promise<void> {
  const { archive, assets } = wordpressFiles(version);
  for (const [path, bytes] of Object.entries(unzipSync(await readFile(archive)))) {
    if (/\/$|^wp-content\/(?:db\.php|database\/|mu-plugins\/)/.test(path)) continue;
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), bytes);
  }
  await cp(assets, root, { recursive: true });
}

/** A text as a literal of PHP. */
export const phpText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const SALTS = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) => [
  `${name}_KEY`,
  `${name}_SALT`,
]);

const configuration = ({ url, socket, log }: { url: string; socket: string; log: string }) => `<?php
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', 'root' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', ${phpText(`localhost:${socket}`)} );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
${SALTS.map((name) => `define( '${name}', '${randomBytes(32).toString('hex')}' );`).join('\n')}
$table_prefix = 'wp_';
define( 'WP_HOME', ${phpText(url)} );
define( 'WP_SITEURL', ${phpText(url)} );
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_LOG', ${phpText(log)} );
define( 'WP_DEBUG_DISPLAY', false );
define( 'DISABLE_WP_CRON', true );
// Application passwords need https, except in a local environment.
define( 'WP_ENVIRONMENT_TYPE', 'local' );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'FS_METHOD', 'direct' );
// WordPress asks its own servers for updates. Hosts of this machine stay allowed.
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'CONCATENATE_SCRIPTS', false );
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`;

/** Stands before the result in the output of the runner. */
const MARK = '@@result@@';

/** Runs the PHP of its input within WordPress, with the functions of the administration. */
const RUNNER = `<?php
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$code = stream_get_contents( STDIN );
if ( false !== strpos( $code, 'wp_install(' ) ) {
	define( 'WP_INSTALLING', true );
}
require __DIR__ . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/admin.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
$result = ( function () use ( $code ) {
	return eval( $code );
} )();
echo '${MARK}' . json_encode( $result );
`;

const INSTALL = `
wp_install( 'The Ostley Courier', 'admin', 'admin@example.com', true, '', 'admin-password' );
update_option( 'timezone_string', 'Europe/Dublin' );
return true;
`;

const installPlugin = (archive: string) => `
require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
$upgrader = new Plugin_Upgrader( new Automatic_Upgrader_Skin() );
$installed = $upgrader->install( ${phpText(archive)} );
if ( true !== $installed ) {
	throw new Exception( 'Not installed: ' . wp_json_encode( $upgrader->skin->get_upgrade_messages() ) );
}
$activated = activate_plugin( '${PLUGIN}' );
if ( is_wp_error( $activated ) ) {
	throw new Exception( $activated->get_error_message() );
}
return true;
`;

/** Creates a person and an application password, as the profile page shows it. */
const applicationPasswordOf = (role: string) => `
$name = uniqid( ${phpText(role)} );
$id = wp_insert_user( array( 'user_login' => $name, 'user_pass' => $name, 'user_email' => "$name@example.com", 'role' => ${phpText(role)} ) );
list( $password ) = WP_Application_Passwords::create_new_application_password( $id, array( 'name' => 'Stoppress' ) );
return array( 'username' => $name, 'password' => WP_Application_Passwords::chunk_password( $password ) );
`;

/** Creates a person and returns the cookies of a session. */
const signInAs = (role: string) => `
$name = uniqid( ${phpText(role)} );
$id = wp_insert_user( array( 'user_login' => $name, 'user_pass' => $name, 'user_email' => "$name@example.com", 'role' => ${phpText(role)} ) );
$end = time() + 3600;
$token = WP_Session_Tokens::get_instance( $id )->create( $end );
return array(
	AUTH_COOKIE => wp_generate_auth_cookie( $id, $end, 'auth', $token ),
	LOGGED_IN_COOKIE => wp_generate_auth_cookie( $id, $end, 'logged_in', $token ),
);
`;
