import type { AuthHouse, Caller } from './auth-house.ts';
import { invalid } from './refused.ts';
import { endSessions } from './sessions.ts';
import { findUser } from './users.ts';

/** `POST /logout`. @param scope this session (`local`), the `others`, or every one (`global`), which is the rule */
export async function signOut(
  { lite }: AuthHouse,
  { user, sessionId }: Caller,
  scope = 'global',
): Promise<void> {
  const which = WHICH.get(scope)?.(sessionId);
  if (!which) throw invalid('Unsupported logout scope');
  await lite.db.transaction().execute(async (tx) => {
    await findUser(tx, { id: user.id }, { lock: true });
    await endSessions(tx, user.id, which);
  });
}

const WHICH = new Map<string, (own: string) => Parameters<typeof endSessions>[2]>([
  ['global', () => ({})],
  ['local', (only) => ({ only })],
  ['others', (except) => ({ except })],
]);
