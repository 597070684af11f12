/** Messages of feeds. */
export const feeds = {
  /** Label before the links to the feeds. */
  label: 'Feeds:',
  title: 'To follow us in a feed reader',
  say: 'Everything that has a headline, every key event, every correction and every withdrawal, of all coverages:',
  each: 'Each coverage and each topic has feeds of its own: the links stand at the foot of its page. A coverage’s have all of its updates.',
};
