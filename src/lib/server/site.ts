import type { RequestListener } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { admitting, giveHeaders, mayBePage } from './admission.ts';
import { openBell, openRinging } from './alert-scheduler.ts';
import { serveAssets, staticFiles } from './assets.ts';
import { type Backend, openBackend, tellPages } from './backend.ts';
import type { BackendAddress, Launch } from './backend-process.ts';
import { builtId, DIST, ENTRY, mustBeBuilt, ROOT } from './build/build-id.ts';
import { keepBuild } from './build/kept-builds.ts';
import { loadLater } from './build/load-later.ts';
import { orSay, watchFaults } from './errors.ts';
import { clientOf } from './forwarding.ts';
import { openOwnersDesk } from './health-routes.ts';
import { releaseIdleMemory } from './idle-memory.ts';
import { attendDarkroom } from './image-processing/image-processor.server.ts';
import { close, type Leaving, type Listening } from './listening.ts';
import { watchLoad } from './load.ts';
import { openDrawing } from './og-image/renderer-process.server.ts';
import { type Parts, serve, takePort } from './outer-server.ts';
import { openWatch, type Watch } from './page-cache/invalidation.ts';
import { openFront } from './page-cache/middleware.ts';
import { rendererOf } from './page-cache/render.ts';
import { openLine } from './page-cache/site-channel.ts';
import { ProxyCheck } from './proxy-check.ts';
import { RequestLimits, refuseTooMany } from './request-limits.ts';
import { costOf } from './route-limits.ts';
import type { Settings } from './settings.ts';
import { takenOf } from './startup-messages.ts';
import { warmPages } from './warm-pages.ts';

const ASSETS = resolve(DIST, 'client/_astro');

export type Site = {
  /** Where it listens. */
  url: string;
  /** Where visitors find it. */
  siteUrl: string;
  /** Its backend, with the secret key: for this process, never for a page. */
  backend: BackendAddress;
  /** What becomes of the backend's mails, in a sentence; absent where a mail server or a project has them. */
  mails?: string;
  /** Has ready what most people ask for first; whether that could be done. */
  warm(): Promise<boolean>;
  /** Finishes what is under way, then stops the backend where that is its own. */
  stop(leaving?: Leaving): Promise<void>;
};

/** Astro's own, in its middleware mode: `locals` are what pages find in `Astro.locals`. */
type PagesHandler = (
  ...args: [...Parameters<RequestListener>, next?: undefined, locals?: App.Locals]
) => void;

/**
 * Starts the built site with its backend on one port, in this process.
 * @throws NotBuilt, PortTaken or BackendFailed, leaving nothing running
 */
export async function startSite(settings: Settings, launch: Omit<Launch, 'siteUrl'> = {}): Promise<Site> {
  mustBeBuilt();
  const listening = await takePort(settings.host, settings.port);
  return openSite(settings, listening, (siteUrl) => openBackend(settings.backend, { siteUrl, ...launch }));
}

/**
 * Answers visitors on a port with a backend; those who come before all is there wait. It changes the environment of this
 * process: the built pages read theirs from it.
 */
export async function openSite(
  settings: Settings,
  listening: Listening,
  findBackend: (siteUrl: string) => Promise<Backend>,
): Promise<Site> {
  watchFaults();
  const siteUrl = settings.siteUrl ?? listening.url;

  const parts = Promise.withResolvers<Parts>();
  const proxyCheck = new ProxyCheck({ proxies: settings.proxies, siteUrl });
  const desk = openOwnersDesk(settings, proxyCheck);
  serve(listening, parts.promise, { siteUrl, proxies: settings.proxies, proxyCheck }, desk.answer);
  let backend: Backend | undefined;
  let site: RequestListener;
  let watch: Watch | undefined;
  let closeDarkroom: () => void;
  let drawNoMore: () => void;
  let ignoreLoad: () => void;
  let keepMemory: () => void;
  let ringNoMore: () => Promise<void>;
  try {
    backend = await findBackend(siteUrl);
    tellPages(process.env, backend, { siteUrl, readerSockets: settings.readerSockets });
    // Before the pages load: React ships two of itself, and the slow one is the default.
    process.env.NODE_ENV ??= 'production';
    const pages = (await import(pathToFileURL(ENTRY).href)) as { handler: PagesHandler };
    const limits = new RequestLimits();
    const front = openFront({
      render: rendererOf(pages.handler, siteUrl),
      askerOf(request, key) {
        const client = clientOf(request);
        return { client, admit: () => limits.take(client, costOf(key)) };
      },
      refuseTooMany,
    });
    await keepScripts(settings.builds);
    const files = staticFiles(resolve(DIST, 'client'), (request, response) => {
      if (!mayBePage(request)) return void orSay(request, response, front.missing);
      void limits.render(request, response, () => {
        giveHeaders(response);
        pages.handler(request, response, undefined, { taken: takenOf(response) });
      });
    });
    site = admitting(front.before(serveAssets(settings.builds, ASSETS, files)));
    const line = openLine(backend);
    watch = openWatch(front, line);
    front.askWith(watch.ask);
    closeDarkroom = attendDarkroom();
    drawNoMore = openDrawing();
    keepMemory = releaseIdleMemory();
    ignoreLoad = watchLoad({ at: settings.surgeAt, tell: line.surge });
    ringNoMore = openRinging(openBell(backend));
    desk.begin({ backend, front, watch });
    parts.resolve({ hit: front.hit, site, backend: backend.passOn });
  } catch (error) {
    parts.reject(error);
    await Promise.all([close(listening), backend?.stop()]);
    throw error;
  }

  const loadNoMore = loadLater(resolve(DIST, 'server/chunks'));
  const { ask, stop: stopWatching } = watch;
  const { stop: stopBackend, url, publishableKey, secretKey, headers, mails } = backend;
  return {
    url: listening.url,
    siteUrl,
    backend: { url, publishableKey, secretKey, headers },
    mails,
    async warm() {
      // What is kept before it has been compared is made again.
      await ask();
      return warmPages(site, siteUrl);
    },
    async stop(leaving) {
      desk.leave();
      loadNoMore();
      ignoreLoad();
      keepMemory();
      await Promise.all([ringNoMore(), close(listening, leaving)]);
      stopWatching();
      closeDarkroom();
      drawNoMore();
      await stopBackend();
    },
  };
}

/** A disk that is full, or may not be written to, costs pages that are open their scripts at a deploy, and no more. */
async function keepScripts(builds: string): Promise<void> {
  try {
    await keepBuild(builds, (await builtId(ROOT)) ?? 'unnamed', ASSETS);
  } catch (error) {
    log.warn(SERVER.notKept(builds, error instanceof Error ? error.message : String(error)));
  }
}
