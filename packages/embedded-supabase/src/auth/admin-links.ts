import type { GatewayContext } from '../gateway/context.ts';
import { AuthError, emailExists, validationFailed } from './errors.ts';
import { readEmail, readOptionalObject, readOptionalString, type Values } from './input.ts';
import { issueForMail } from './mail-tokens.ts';
import { type OneTimeToken, type TokenType, voidTokens } from './one-time-tokens.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import { type Db, jsonParameter, now } from './tables.ts';
import { createUser, findUser, mergeData, type User, type UserData, updateUser } from './users.ts';

const CHANGES = ['email_change_current', 'email_change_new'] as const;
const TYPES: readonly TokenType[] = ['signup', 'invite', 'magiclink', 'recovery', ...CHANGES];

/** Request for a link: its type, the address, and options. */
type LinkRequest = {
  type: TokenType;
  /** Lower case. */
  email: string;
  newEmail: string | undefined;
  password: string | undefined;
  data: UserData | undefined;
};

type Link = OneTimeToken & {
  user: User;
  /** May differ from the requested type: a magic link for a new address becomes a sign-up link. */
  type: TokenType;
};

/** Reads the body of a call that makes a link. @throws AuthError */
export function readLinkRequest(body: Values): LinkRequest {
  const asked = readOptionalString(body, 'type');
  const type = TYPES.find((one) => one === asked);
  if (!type) throw validationFailed(`type must be one of ${TYPES.join(', ')}.`);
  return {
    type,
    email: neededEmail(body, 'email'),
    newEmail: type.startsWith('email_change') ? neededEmail(body, 'new_email') : undefined,
    password: readOptionalString(body, 'password'),
    data: readOptionalObject(body, 'data'),
  };
}

function neededEmail(body: Values, name: string): string {
  const email = readEmail(body, name);
  if (!email) throw validationFailed(`${name} must be an e-mail address.`);
  return email;
}

/**
 * Makes a token in the server's name, and the account that it is for where its type makes one. Nothing is sent.
 * @throws AuthError
 */
export async function makeLink(context: GatewayContext, request: LinkRequest): Promise<Link> {
  const { email, newEmail } = request;
  const passwordHash = request.type === 'signup' ? await ownPassword(context, request) : undefined;
  return context.lite.db.transaction().execute(async (tx) => {
    const { user, type } = await subject(tx, request, passwordHash);
    const address = (type === 'email_change_new' && newEmail) || email;
    const token = await issueForMail(context, tx, { userId: user.id, type, address });
    return { ...token, type, user: (await findUser(tx, { id: user.id })) ?? user };
  });
}

async function ownPassword(context: GatewayContext, { password, email }: LinkRequest): Promise<string> {
  if (!password) throw validationFailed('Signup requires a valid password');
  checkPassword(context, password, email);
  return hashPassword(password);
}

/** The account that a link is for, made ready for it. */
async function subject(tx: Db, request: LinkRequest, passwordHash: string | undefined) {
  const { type, email, newEmail } = request;
  if (type === 'signup' || type === 'invite')
    return { type, user: await newcomer(tx, request, passwordHash) };
  const user = await findUser(tx, { email }, { lock: true });
  if (!user && type === 'magiclink') {
    return { type: 'signup' as const, user: await newcomer(tx, request, undefined) };
  }
  if (!user) throw new AuthError(404, 'user_not_found', 'User with this email not found');
  if (newEmail) await aimAt(tx, user, newEmail);
  return { type, user };
}

/** An account with an unconfirmed address: any person may have created it. */
async function newcomer(tx: Db, { type, email, data }: LinkRequest, passwordHash: string | undefined) {
  const invited = type === 'invite';
  const made = await createUser(tx, { email, passwordHash, confirmed: false, data, invited });
  if (made) return made;
  const user = await findUser(tx, { email }, { lock: true });
  if (!user || user.email_confirmed_at) throw emailExists();
  await updateUser(tx, user.id, {
    encrypted_password: passwordHash ?? null,
    raw_user_meta_data: jsonParameter(mergeData(user.raw_user_meta_data, data ?? {})),
    ...(invited && { invited_at: now }),
  });
  return user;
}

/** Begins a change of address, of which each call makes one half; another one under way is given up. */
async function aimAt(tx: Db, user: User, newEmail: string): Promise<void> {
  if (await findUser(tx, { email: newEmail })) throw emailExists();
  if (user.email_change !== newEmail) await voidTokens(tx, user.id, CHANGES);
  await updateUser(tx, user.id, { email_change: newEmail, email_change_confirm_status: 0 });
}
