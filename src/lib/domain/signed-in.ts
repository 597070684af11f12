/**
 * Cookie of browsers with a session. It has no content and scripts can read it, so that a cached page can show the
 * account link. It grants nothing: the session is in a cookie of its own.
 */
export const SIGNED_IN_COOKIE = 'signed-in';

/**
 * Inline script that marks the page of a signed-in person. Styles then show the account link in the header instead of
 * the sign-in link in the footer. It runs while the page is parsed, so nothing moves afterwards. The content security
 * policy allows it by its hash (astro.config.mjs).
 */
export const SIGNED_IN_SCRIPT = `document.cookie.includes("${SIGNED_IN_COOKIE}=")&&(document.documentElement.dataset.signedIn="")`;
