import type { Config } from '../config.ts';
import type { Keys } from '../keys.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Lite } from '../rest/lite.ts';
import type { Claims, Tokens } from '../tokens.ts';

/** What the parts of the gateway share. */
export type GatewayContext = {
  lite: Lite;
  tokens: Tokens;
  keys: Keys;
  siteUrl: string;
  config: Config;
  mailer: Mailer;
  backgroundJobs: BackgroundJobs;
};

/** Variables of a request after the gateway's checks. */
export type RequestVariables = {
  Variables: {
    /** Holder of the API key. Each service verifies the token itself. */
    keyHolder: 'everybody' | 'server';
    /** Bearer token, when it is not the API key sent twice. */
    token: string | undefined;
    address: string | undefined;
  };
};

/** The claims that an API key without a token stands for. */
export const KEY_CLAIMS: Record<RequestVariables['Variables']['keyHolder'], Claims> = {
  everybody: { role: 'anon' },
  server: { role: 'service_role' },
};

/** Work that goes on when its call has been answered. */
export type BackgroundJobs = {
  begin(work: () => Promise<void>): void;
  /** When all that was begun has ended, well or badly. */
  settled(): Promise<void>;
};
