/** Sentences of refusals that any function may give: what happened and what to do next. */
export const words = {
  signedOut: 'You are signed out. Sign in, then send it again.',
  notUnderstood: 'This call was not understood. Reload the page, then send it again.',
  tooLong: 'This is too large. Make it shorter, then send it again.',
  internal: (id: string) =>
    `Something went wrong on our side. Try again in a moment. If it stays, quote ${id}.`,
};
