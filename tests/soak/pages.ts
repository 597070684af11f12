/** The numbers of all updates that the pages of a coverage show, from the newest page to the oldest. */
export async function publishedOnPages(url: string, slug: string): Promise<number[]> {
  const numbers: number[] = [];
  let path: string | undefined = `/live/${slug}`;
  while (path) {
    const answer: Response = await fetch(url + path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}.`);
    const page = await answer.text();
    const own = new Set(
      [...page.matchAll(/<article[^>]* id="update-(\d+)"/g)].map(([, number]) => Number(number)),
    );
    numbers.push(...own);
    path =
      /href="(\/live\/[\w-]+\?before=\d+)"[^>]*rel="next"|rel="next"[^>]*href="(\/live\/[\w-]+\?before=\d+)"/
        .exec(page)
        ?.slice(1)
        .find(Boolean);
  }
  return numbers;
}
