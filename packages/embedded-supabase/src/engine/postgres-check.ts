import postgres from 'postgres';
import { StartError } from '../start-error.ts';

/** Older major versions have no views that run with the rights of the reader (`security_invoker`). */
const MIN_MAJOR_VERSION = 15;

/** Extensions that the migrations and the bootstrap scripts need. */
const EXTENSIONS = ['pgcrypto', 'pg_trgm', 'unaccent'];

const CONNECT_TIMEOUT_S = 5;

type ServerInfo = {
  version: string;
  number: string;
  encoding: string;
  superuser: boolean;
  missing: string | null;
};

type Server = { version: string; major: number };

/** Opens one connection outside of the pool. Discards notices of the server. */
export const openSingleConnection = (
  url: string,
  connection: Record<string, string | number>,
  options: postgres.Options<Record<string, never>> = {},
) =>
  postgres(url, { max: 1, connect_timeout: CONNECT_TIMEOUT_S, connection, onnotice: () => {}, ...options });

/**
 * Checks whether the server and its database are suitable for a newsroom.
 * @throws StartError with the reason, but without the URL, which contains a password
 */
export async function checkServer(url: string, connection: Record<string, string | number>): Promise<Server> {
  const sql = openSingleConnection(url, connection);
  try {
    const [info] = await sql<ServerInfo[]>`
      select current_setting('server_version') as version, current_setting('server_version_num') as number,
        current_setting('server_encoding') as encoding,
        (select rolsuper from pg_roles where rolname = current_user) as superuser,
        (select string_agg(required, ', ') from unnest(${EXTENSIONS}::text[]) required
         where not exists (select from pg_available_extensions where name = required)) as missing`;
    if (!info) throw new Error('The server did not return its version.');
    const major = Math.floor(Number(info.number) / 10_000);
    if (major < MIN_MAJOR_VERSION) {
      throw new StartError(
        `DATABASE_URL names a PostgreSQL ${info.version}; version ${MIN_MAJOR_VERSION} or later is needed.`,
      );
    }
    if (info.encoding !== 'UTF8') {
      throw new StartError(
        `DATABASE_URL names a database in ${info.encoding}; make it with the encoding UTF8.`,
      );
    }
    if (!info.superuser) {
      throw new StartError(
        'The role of DATABASE_URL must be a superuser: it makes the roles that requests run as, one of which passes row-level security.',
      );
    }
    if (info.missing) {
      throw new StartError(
        `The PostgreSQL of DATABASE_URL lacks ${info.missing}: install its package of contributed extensions.`,
      );
    }
    return { version: info.version.split(' ')[0] ?? info.version, major };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(unreachable(error));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Causes that the operator can fix, by error code of the driver or of PostgreSQL. */
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at its host and port',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'its host is not known',
  CONNECT_TIMEOUT: `it did not answer within ${CONNECT_TIMEOUT_S} seconds`,
  '28P01': 'the password is wrong',
  '28000': 'the server does not let this role in',
  '3D000': 'there is no such database: make it first',
  '53300': 'it has no connection to spare',
  '57P03': 'it is starting or stopping',
};

function unreachable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return `The PostgreSQL of DATABASE_URL cannot be used: ${REASONS[code] ?? `it failed with ${code}`}.`;
}
