import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { GatewayContext } from '../gateway/context.ts';
import { runOnSchedule } from '../timers.ts';
import { type AuthCall, type AuthContext, logBackgroundError } from './context.ts';
import { AuthError, phoneDisabled, validationFailed } from './errors.ts';
import { checkEmail } from './input.ts';
import { issueMailedToken, type MailedToken, requiresConfirmation } from './one-time-tokens.ts';
import { sessionResponse, startSession } from './sessions.ts';
import { type AuthTables, authSchema, type Db, jsonParameter } from './tables.ts';
import {
  checkPasswordPolicy,
  createUser,
  findUser,
  hashPassword,
  systemMetadata,
  type User,
  type UserData,
  updateUser,
  verifyPassword,
} from './users.ts';

type SignUp = { email: string; passwordHash: string | null; data: UserData };

/** `POST /signup`: creates an account with a password. */
export async function signUpWithPassword(context: AuthContext, call: AuthCall): Promise<object> {
  const { email, phone, password, data = {} } = call.body;
  if (!email && !phone) {
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  }
  if (!context.config.auth.signUpEnabled || !context.config.auth.email.signUpEnabled) {
    throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');
  }
  if (phone && email) {
    throw validationFailed('Only an email address or phone number should be provided on signup.');
  }
  if (phone) throw phoneDisabled('Phone signups are disabled');
  context.limits.takeSignUp(call.client.address);
  checkEmail(email);
  if (!password) throw validationFailed('Signup requires a valid password');
  checkPasswordPolicy(context, password, email);
  const needsConfirmation = requiresConfirmation(context);
  if (needsConfirmation) context.limits.takeMail('confirmation', email, call.client.address);

  const passwordHash = await hashPassword(password);
  if (!needsConfirmation) return signUpConfirmed(context, call, { email, data, passwordHash });
  await storeSignUp(context, call, { email, data, passwordHash }, password);
  return pendingResponse({ email, data });
}

/** Creates an account and a session. Without confirmations, the address counts as confirmed. */
async function signUpConfirmed(
  context: AuthContext,
  call: AuthCall,
  request: { email: string; passwordHash: string; data: UserData },
): Promise<object> {
  const { user, session } = await context.restApi.db.transaction().execute(async (tx) => {
    const user = await createUser(tx, { ...request, confirmed: true, isSignUp: true });
    if (!user) throw new AuthError(422, 'user_already_exists', 'User already registered');
    return startSession(tx, user.id, 'password', call.client);
  });
  return await sessionResponse(context, user, session);
}

/**
 * Stores a sign-up before the response and completes it after the response. A process that ends in between loses no
 * sign-up, and the response time is the same for every address. Without a password, the sign-up is a sign-in by mail
 * that may create the account.
 * @param password as sent
 */
export async function storeSignUp(
  context: AuthContext,
  call: AuthCall,
  { email, passwordHash, data }: SignUp,
  password?: string,
): Promise<void> {
  const pending = {
    id: randomUUID(),
    email,
    password_hash: passwordHash,
    redirect_to: call.redirectTo ?? null,
  };
  await authSchema(context.restApi.db)
    .insertInto('pending_sign_ups')
    .values({ ...pending, data: jsonParameter(data) })
    .execute();
  context.backgroundJobs.begin(() => completeSignUp(context, { ...pending, data }, password));
}

/** A stored sign-up. */
type PendingSignUp = Omit<Selectable<AuthTables['pending_sign_ups']>, 'created_at'>;

/** Failed sign-ups are retried after this time, which is longer than sending a mail may take. */
const RETRY_AFTER = sql<string>`now() - interval '2 minutes'`;
/** Sign-ups that keep failing for this time are deleted. */
const GIVE_UP_AFTER = sql<string>`now() - interval '1 day'`;

/**
 * Completes sign-ups that a stopped process or a failure of the database left behind. Runs now and every 30 seconds, and
 * attempts each one, so that those that keep failing delay no other.
 */
export function resumeSignUps(context: GatewayContext) {
  let isFirstRun = true;
  const run = async () => {
    const auth = authSchema(context.restApi.db);
    const rows = await auth
      .selectFrom('pending_sign_ups')
      .select('id')
      // At the start no other sign-up is in progress.
      .$if(!isFirstRun, (query) => query.where('created_at', '<', RETRY_AFTER))
      .orderBy('created_at')
      .execute();
    isFirstRun = false;
    for (const { id } of rows) {
      const signUp = await auth
        .selectFrom('pending_sign_ups')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (signUp) await completeSignUp(context, signUp).catch(logBackgroundError);
    }
    if (rows.length > 0)
      await auth.deleteFrom('pending_sign_ups').where('created_at', '<', GIVE_UP_AFTER).execute();
  };
  return runOnSchedule('*/30 * * * * *', run, 'Unfinished sign-ups could not be read.');
}

/**
 * Creates or renews the account, and mails the link. Can be repeated.
 * @param password as sent; undefined if only its hash is stored
 */
async function completeSignUp(
  context: GatewayContext,
  signUp: PendingSignUp,
  password?: string,
): Promise<void> {
  const { id, email, password_hash, data, redirect_to } = signUp;
  const mail =
    password_hash === null
      ? await prepareSignIn(context, { email, data, creates: true })
      : await storeAccount(context, { email, password_hash, data }, password);
  try {
    if (mail) await sendMail(context, email, mail, redirect_to ?? undefined);
  } finally {
    // Deletes the sign-up even if the mail failed, because the person may request another one.
    await authSchema(context.restApi.db).deleteFrom('pending_sign_ups').where('id', '=', id).execute();
  }
}

/** A mail with a link and a code. */
type TokenMail = { kind: 'confirmation' | 'magic_link'; token: MailedToken };

const sendMail = (
  { mailer }: GatewayContext,
  email: string,
  { kind, token }: TokenMail,
  redirectTo: string | undefined,
) => mailer.send(kind, { to: email, email, redirectTo, ...token });

/**
 * Issues the token of a sign-in by mail.
 * @param creates whether an unknown address gets an account
 * @returns undefined if the address has no account. The client must not learn this
 */
async function prepareSignIn(
  context: GatewayContext,
  { email, data, creates }: { email: string; data: UserData; creates: boolean },
): Promise<TokenMail | undefined> {
  return context.restApi.db.transaction().execute(async (tx) => {
    const newUser = { email, data, passwordHash: undefined, confirmed: false, isSignUp: true };
    const existing = await findUser(tx, { email });
    // Another call may have created the account in between. It sends its own mail.
    const user = existing ?? (creates ? await createUser(tx, newUser) : undefined);
    if (!user) return undefined;
    const subject = { userId: user.id, type: 'magiclink', address: email } as const;
    const kind = user.email_confirmed_at ? 'magic_link' : 'confirmation';
    return { kind, token: await issueMailedToken(context, tx, subject) };
  });
}

/** Mails a link and a code to sign in to an address that has an account. */
export async function mailSignIn(
  context: GatewayContext,
  email: string,
  redirectTo: string | undefined,
): Promise<void> {
  const mail = await prepareSignIn(context, { email, data: {}, creates: false });
  if (mail) await sendMail(context, email, mail, redirectTo);
}

/** @returns undefined if the address is registered and confirmed. The client must not learn this */
async function storeAccount(
  context: GatewayContext,
  { email, password_hash, data }: { email: string; password_hash: string; data: UserData },
  password?: string,
): Promise<TokenMail | undefined> {
  // Comparing passwords is slow, so it happens before the transaction. It is repeated if the stored password has
  // changed by then.
  for (;;) {
    const existing = await findUser(context.restApi.db, { email });
    const isSamePassword =
      existing !== undefined &&
      (password === undefined
        ? existing.encrypted_password === password_hash
        : await verifyPassword(password, existing));
    const result = await context.restApi.db.transaction().execute(async (tx) => {
      const newUser = { email, data, passwordHash: password_hash, confirmed: false, isSignUp: true };
      const created = existing ? undefined : await createUser(tx, newUser);
      const user = created ?? (await findUser(tx, { email }, { lock: true }));
      if (!user || user.email_confirmed_at) return {};
      if (!created) {
        if (user.encrypted_password !== existing?.encrypted_password) return undefined;
        await renewSignUp(tx, user, data, isSamePassword);
      }
      const subject = { userId: user.id, type: 'signup', address: email } as const;
      return { mail: { kind: 'confirmation', token: await issueMailedToken(context, tx, subject) } as const };
    });
    if (result) return result.mail;
  }
}

/**
 * Updates an account whose address is unconfirmed. A stranger may have registered the address before. So this removes
 * the password, unless both calls had the same one. The person who confirms the address can choose a password by mail.
 */
async function renewSignUp(
  tx: Db,
  { id, email }: User,
  data: UserData,
  samePassword: boolean,
): Promise<void> {
  await updateUser(tx, id, {
    ...(!samePassword && { encrypted_password: null }),
    raw_user_meta_data: jsonParameter({ ...data, ...systemMetadata(id, email ?? '', false) }),
  });
}

/**
 * Returns the response to a sign-up that needs confirmation. GoTrue marks a known address by an empty list of
 * identities. Here the list is always empty and the id is random.
 */
function pendingResponse({ email, data }: Pick<SignUp, 'email' | 'data'>) {
  const timestamp = new Date().toISOString();
  return {
    id: randomUUID(),
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone: '',
    confirmation_sent_at: timestamp,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: data,
    identities: [],
    created_at: timestamp,
    updated_at: timestamp,
    is_anonymous: false,
  };
}
