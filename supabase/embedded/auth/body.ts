import type { HonoRequest } from 'hono';
import { readObject, readText, readValues } from './input.ts';
import { checkUserData } from './user-data.ts';
import type { UserData } from './users.ts';

/** What a body says, as the flows read it; '' and undefined where it says nothing. */
export type AuthBody = {
  /** Lower case, as every address is kept. */
  email: string;
  /** Undefined where the body names none, which is not an empty one. */
  password: string | undefined;
  /** The password so far, of who chooses another. */
  currentPassword: string;
  type: string;
  token: string;
  tokenHash: string;
  refreshToken: string;
  data: UserData | undefined;
  createUser: boolean;
};

/** @throws AuthRefused for a body that is no object, or holds a value of another kind or size than it may be */
export async function readBody(request: HonoRequest): Promise<AuthBody> {
  const body = await readValues(request);
  const text = (name: string) => readText(body, name) ?? '';
  const data = readObject(body, 'data');
  if (data) checkUserData(data);
  return {
    email: text('email').trim().toLowerCase(),
    password: body.password === '' ? '' : readText(body, 'password'),
    currentPassword: text('current_password'),
    type: text('type'),
    // A code is shown in groups, and copied with what stands between them.
    token: text('token').replaceAll(/[\s-]/g, ''),
    tokenHash: text('token_hash'),
    refreshToken: text('refresh_token'),
    data,
    createUser: body.create_user !== false,
  };
}
