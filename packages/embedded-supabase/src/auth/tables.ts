import { type ColumnType, type Generated, type Kysely, type RawBuilder, sql } from 'kysely';

/* The tables and columns of the schema `auth` that this service uses. Times are ISO 8601 with an offset. */

type Json = ColumnType<Record<string, unknown>, RawBuilder<unknown>>;
type GeneratedTime = Generated<string>;

type UsersTable = {
  id: string;
  aud: Generated<string>;
  role: Generated<string>;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: string | null;
  confirmed_at: ColumnType<string | null, never, never>;
  invited_at: string | null;
  confirmation_sent_at: string | null;
  recovery_sent_at: string | null;
  email_change: string | null;
  email_change_sent_at: string | null;
  /** How many of the two addresses have confirmed the change. */
  email_change_confirm_status: Generated<number>;
  phone: string | null;
  raw_app_meta_data: Json;
  raw_user_meta_data: Json;
  banned_until: string | null;
  deleted_at: string | null;
  is_anonymous: Generated<boolean>;
  is_sso_user: Generated<boolean>;
  last_sign_in_at: string | null;
  created_at: GeneratedTime;
  updated_at: GeneratedTime;
};

type IdentitiesTable = {
  id: string;
  provider: string;
  provider_id: string;
  user_id: string;
  identity_data: Json;
  email: ColumnType<string | null, never, never>;
  last_sign_in_at: string | null;
  created_at: GeneratedTime;
  updated_at: GeneratedTime;
};

type SessionsTable = {
  id: string;
  user_id: string;
  user_agent: string | null;
  ip: string | null;
  aal: string | null;
  /** UTC without an offset. All other times here have an offset. */
  refreshed_at: string | null;
  created_at: GeneratedTime;
  updated_at: GeneratedTime;
};

type RefreshTokensTable = {
  id: string;
  token: string;
  user_id: string;
  session_id: string;
  revoked: Generated<boolean>;
  /** The token that this one replaced. */
  parent: string | null;
  created_at: GeneratedTime;
  updated_at: GeneratedTime;
};

type AmrClaimsTable = { session_id: string; authentication_method: string; created_at: GeneratedTime };

type OneTimeTokensTable = {
  user_id: string;
  token_type: string;
  token_hash: string;
  code_hash: string;
  relates_to: string;
  expires_at: string;
  created_at: GeneratedTime;
};

type PendingSignUpsTable = {
  id: string;
  email: string;
  /** Null for a sign-in by mail that may create the account. */
  password_hash: string | null;
  data: Json;
  redirect_to: string | null;
  created_at: GeneratedTime;
};

export type AuthTables = {
  users: UsersTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  refresh_tokens: RefreshTokensTable;
  mfa_amr_claims: AmrClaimsTable;
  one_time_tokens: OneTimeTokensTable;
  pending_sign_ups: PendingSignUpsTable;
};

/** The database, or a transaction in it. */
export type Db = Kysely<unknown>;

/** Returns a query builder for the schema `auth`, on a database or in a transaction. */
export const authSchema = (db: Db) => db.withSchema('auth').withTables<AuthTables>();

/** Passes a JSON value as a text parameter, because the driver of one engine would encode JSON twice. */
export const jsonParameter = (value: object) => sql<never>`${JSON.stringify(value)}::text::jsonb`;

export const sqlNow = sql<string>`now()`;
