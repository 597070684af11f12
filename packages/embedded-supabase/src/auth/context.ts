import type { GatewayContext } from '../gateway/context.ts';
import type { AuthBody } from './input.ts';
import type { AuthLimits } from './limits.ts';
import type { Device } from './sessions.ts';
import type { User } from './users.ts';

/** What the flows of the auth service share. */
export type AuthContext = GatewayContext & { limits: AuthLimits };

/** What a flow knows of the request that it answers. */
export type AuthCall = {
  body: AuthBody;
  device: Device;
  /** Target of a mailed link: a URL of this site, or undefined. */
  redirectTo: string | undefined;
};

/** A person whose session is alive. */
export type Caller = { user: User; sessionId: string };
