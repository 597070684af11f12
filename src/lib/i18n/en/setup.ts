/** Messages of the setup page. */
export const setup = {
  title: 'Set up this newsroom',
  what: 'Nobody owns this newsroom yet. Whoever holds the code makes the first owner, once.',
  code: 'Code',
  codeHelp: 'The server printed it when it started. It stands beside this address.',
  haveAccount: 'You have an account here already?',
  signInFirst: 'Sign in first',
  asYou: (name: string) => `You are signed in as ${name}. The code makes you the owner.`,
  submit: 'Become the owner',
  problems: {
    code: 'This code does not open the newsroom. Copy it from what the server printed last: each start makes a new one.',
    emailInUse:
      'This address has an account already. Sign in with it, come back here and give the code alone.',
    signInYourself: 'You are the owner now. Sign in with the address and the password that you gave.',
  },
};
