/** What the server and the commands say in a terminal. */

export const SETTINGS = {
  port: 'PORT must be a port number from 0 to 65535.',
  siteUrl: 'SITE_URL must be the address of the site and nothing more, such as https://news.example.',
  siteUrlOfWildcard: (host: string) =>
    `Set SITE_URL to the address that visitors use: it cannot be told from HOST ${host}.`,
  proxies: 'STOPPRESS_PROXIES must be the number of your own proxies in front of the site, 0 to 5.',
  backendUrl: 'PUBLIC_SUPABASE_URL must be the address of a project, such as https://project.supabase.co.',
  publishableKey: 'With PUBLIC_SUPABASE_URL, set PUBLIC_SUPABASE_PUBLISHABLE_KEY too.',
  secretKey: 'With PUBLIC_SUPABASE_URL, set SUPABASE_SECRET_KEY too.',
  sameKeys: 'SUPABASE_SECRET_KEY must not be the publishable key: browsers get that one.',
};

export const SERVER = {
  ready: (url: string) => `The site is at ${url}`,
  portTaken: (port: number) => `Port ${port} is in use: set PORT to another one.`,
  notBuilt: 'The site is not built yet: run npm run build first.',
  backendRestart: (seconds: number) => `The backend has ended unexpectedly; it starts again in ${seconds} s.`,
  notStarted: 'The site was not started.',
};

/** What a client gets from the outer server itself, where no page could be rendered. */
export const REFUSALS = {
  tooLarge: 'This is too large to be sent. Shorten it, then send it again.',
  unavailable: 'The newsroom cannot be reached at the moment. Try again in a minute.',
};
