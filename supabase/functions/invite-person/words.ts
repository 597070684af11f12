/** Why nobody is invited, or nobody comes in. */
export const words = {
  known: 'There is an account with this address. Sign in with it, then accept.',
  password: 'This password cannot be used. Choose a longer one.',
  later: 'The account cannot be made just now. Try again in a moment: the invitation stays good.',
  tooMany: 'Too many invitations in a short time. Try again later.',
};
