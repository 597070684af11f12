import type { Config } from '../config.ts';
import type { ApiKeyType, Keys } from '../keys.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { RestApi } from '../rest/lite.ts';
import type { Claims, Tokens } from '../tokens.ts';

/** Services and settings that the parts of the gateway share. */
export type GatewayContext = {
  restApi: RestApi;
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
    /** Type of the API key. Each service verifies the token itself. */
    apiKeyType: ApiKeyType;
    /** Bearer token; undefined if it only repeats the API key. */
    token: string | undefined;
    address: string | undefined;
  };
};

/** Claims of a request that has an API key and no token. */
export const KEY_CLAIMS: Record<ApiKeyType, Claims> = {
  publishable: { role: 'anon' },
  secret: { role: 'service_role' },
};

/** Work that continues after the response. */
export type BackgroundJobs = {
  begin(work: () => Promise<void>): void;
  /** Resolves when all started work has ended, with or without an error. */
  settled(): Promise<void>;
};
