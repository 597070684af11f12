import { Agent, get } from 'node:http';
import { serve } from './worker.ts';

/*
 * Readers with new questions: each needs a rendering and several backend calls. Each reader waits for the response
 * before the next request.
 */

type Task = {
  url: string;
  slug: string;
  /** The last seq of the coverage. */
  seq: number;
  readers: number;
};

/** Maximum number of changes that these readers are behind. */
const BEHIND = 20;

let running = false;
let answered = 0;

serve({
  start({ url, slug, seq, readers }: Task) {
    running = true;
    const agent = new Agent({ keepAlive: true });
    const questions = everNew(seq);
    for (let reader = 0; reader < readers; reader++) {
      keepAsking(() => `${url}/live/${slug}/changes?${questions.next().value}`, agent);
    }
  },
  stop() {
    running = false;
    return answered;
  },
  answered: () => answered,
});

/** Unique pairs of after and until. Responses to one `after` are equal, but a cache cannot know that. */
function* everNew(seq: number): Generator<string, never> {
  for (let until = seq; ; until--) {
    for (let after = seq - BEHIND; after < seq; after++) yield `after=${after}&until=${until}`;
    if (until === 0) throw new Error('There are no more questions.');
  }
}

async function keepAsking(next: () => string, agent: Agent): Promise<void> {
  while (running) {
    const status = await ask(next(), agent);
    if (status === 200) answered++;
    else if (status !== 503) throw new Error(`An uncached reader got ${status}.`);
  }
}

function ask(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}
