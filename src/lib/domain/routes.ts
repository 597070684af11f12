/** Routes that depend on the session. All other routes ignore cookies and are the same for every visitor. */
const PRIVATE = /^\/(desk|account|api|auth|sign-in|sign-up|reset-password|invites|setup|follow)(\/|$)/;

export const isPrivateRoute = (path: string): boolean => PRIVATE.test(path);

/** Public routes that contain a secret. */
const SECRET = /^\/(?:unsubscribe\/[^/]+|tips\/[^/]+(?:\/state)?)$/;

/** Whether responses for this path are made for each request. All other pages are cached. */
export const isUncachedRoute = (path: string): boolean => isPrivateRoute(path) || SECRET.test(path);
