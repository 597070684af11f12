/** Routes that know who is asking. All others are the same for everybody, and never look at a cookie. */
const PRIVATE = /^\/(desk|account|api|auth|sign-in|sign-up|reset-password|invites|setup|follow)(\/|$)/;

export const isPrivateRoute = (path: string): boolean => PRIVATE.test(path);
