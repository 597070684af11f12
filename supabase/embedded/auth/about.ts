import type { House } from '../house.ts';
import { confirms } from './mail-token.ts';

/** `GET /settings`: what a page may offer. */
export const settingsAnswer = (house: House) => ({
  external: { email: house.config.auth.email.signUp, phone: false, anonymous_users: false },
  disable_signup: !house.config.auth.signUp,
  mailer_autoconfirm: !confirms(house),
  phone_autoconfirm: false,
  sms_provider: '',
  saml_enabled: false,
});

/** `GET /health`, under the name that clients know. */
export const health = { name: 'GoTrue', description: 'Accounts and sessions, as GoTrue answers for them' };
