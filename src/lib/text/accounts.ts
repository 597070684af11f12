/** Words of the screens where people sign in, sign up and sign out. */
export const accounts = {
  signIn: 'Sign in',
  signUp: 'Make an account',
  signOut: 'Sign out',
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  goOn: 'Go on',
  fields: {
    name: 'Your name',
    nameHelp: 'As it would stand under what you write.',
    email: 'E-mail address',
    password: 'Password',
    passwordHelp: (min: number) =>
      `At least ${min} characters. A few words are easier to keep than a riddle.`,
  },
  noAccount: 'No account yet?',
  haveAccount: 'An account already?',
  whatFor: 'An account is for those who write here. Reading needs none.',
  confirm: 'Your account is made. Follow the link in the mail we sent you, then sign in.',
  problems: {
    credentials: 'This address and this password do not belong together. Check both, then try again.',
    email: 'Give an e-mail address, as name@example.com.',
    password: 'Give your password.',
    passwordShort: (min: number) => `A password has at least ${min} characters. Make it longer.`,
    passwordLong: 'A password has at most 72 bytes. Make it shorter.',
    passwordIsEmail: 'A password must not be the e-mail address. Choose another.',
    passwordWeak: 'This password is too easy to guess. Choose another.',
    name: (max: number) => `Give a name of 1 to ${max} characters.`,
    taken: 'This address cannot be used for a new account. If it is yours, sign in.',
    closed: 'This account is closed. Ask the owner of this newsroom.',
    unavailable: 'The newsroom cannot be reached just now. Try again in a moment.',
    tooMany: (seconds: number) => `Too many tries. Wait ${waiting(seconds)}, then try again.`,
  },
};

/** A time to wait, rounded up so that it is never too short. */
function waiting(seconds: number): string {
  if (seconds <= 90) return `${Math.ceil(seconds)} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
