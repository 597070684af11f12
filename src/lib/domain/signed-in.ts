/**
 * Cookie of browsers with a session. It has no content and scripts can read it, so that a cached page can show the
 * account link. It grants nothing: the session is in a cookie of its own.
 */
export const SIGNED_IN_COOKIE = 'signed-in';

/** Id of the account link in the header, which is hidden until the script below shows it. */
export const ACCOUNT_LINK_ID = 'account-link';

/**
 * Inline script behind the account link. It runs while the page is parsed, so nothing moves afterwards. The content
 * security policy allows it by its hash (astro.config.mjs).
 */
export const SIGNED_IN_SCRIPT = `document.cookie.includes("${SIGNED_IN_COOKIE}=")&&(document.getElementById("${ACCOUNT_LINK_ID}").hidden=!1)`;
