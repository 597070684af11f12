/** A browser without a screen: keeps the cookies of one site, posts forms as it would, follows nothing by itself. */
export type CookieJar = {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(
    path: string,
    fields?: Record<string, string> | FormData,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** The cookies as they would be sent. */
  cookies: Map<string, string>;
};

export function cookieJar(site: string): CookieJar {
  const cookies = new Map<string, string>();

  async function send(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie ? { cookie } : {}), ...(init.headers as Record<string, string>) };
    const answer = await fetch(site + path, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }

  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      send(path, {
        method: 'POST',
        body: fields instanceof FormData ? fields : new URLSearchParams(fields),
        headers: { origin: site, ...headers },
      }),
  };
}
