/** Routes that know who is asking. All others are the same for everybody, and never look at a cookie. */
const PRIVATE = /^\/(desk|account|api|auth|sign-in|sign-up|reset-password|invites|setup|follow)(\/|$)/;

export const isPrivateRoute = (path: string): boolean => PRIVATE.test(path);

/** Public, and yet for nobody but whoever has the secret that they are named by. */
const SECRET = /^\/(?:unsubscribe\/[^/]+|tips\/[^/]+(?:\/state)?)$/;

/** What is made anew for whoever asks. All other pages are kept, and there is nothing else. */
export const isOwnRoute = (path: string): boolean => isPrivateRoute(path) || SECRET.test(path);
