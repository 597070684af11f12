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
import { type Invalidation, openSiteChannel, startInvalidation } from './page-cache/invalidation.ts';
import { createPageCache } from './page-cache/middleware.ts';
import { createRenderer } from './page-cache/render.ts';
import { ProxyCheck } from './proxy-check.ts';
import { RequestLimits, refuseTooMany } from './request-limits.ts';
import { costOf } from './route-limits.ts';
import type { Settings } from './settings.ts';
import { takenOf } from './startup-messages.ts';
import { warmPages } from './warm-pages.ts';

const ASSETS = resolve(DIST, 'client/_astro');

export type Site = {
  /** Origin on which the server listens. */
  url: string;
  /** Public address of the site. */
  siteUrl: string;
  /** The backend with its secret key. Never pass it to a page. */
  backend: BackendAddress;
  /** A sentence that says where the backend delivers mail; undefined when a mail server or a Supabase project does. */
  mails?: string;
  /** Renders the most requested pages into the cache. Returns whether that succeeded. */
  warm(): Promise<boolean>;
  /** Finishes the requests in progress, then stops the backend if this process started it. */
  stop(leaving?: Leaving): Promise<void>;
};

/** Astro's handler in middleware mode. Pages read `locals` as `Astro.locals`. */
type PagesHandler = (
  ...args: [...Parameters<RequestListener>, next?: undefined, locals?: App.Locals]
) => void;

/**
 * Starts the built site and its backend on one port, in this process.
 * @throws NotBuilt, PortTaken or BackendFailed, after stopping what was started
 */
export async function startSite(settings: Settings, launch: Omit<Launch, 'siteUrl'> = {}): Promise<Site> {
  mustBeBuilt();
  const listening = await takePort(settings.host, settings.port);
  return openSite(settings, listening, (siteUrl) => openBackend(settings.backend, { siteUrl, ...launch }));
}

/**
 * Serves the built site on a port. Requests that arrive during the start wait. It sets environment variables of this
 * process, because the built pages read them.
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
  let watch: Invalidation | undefined;
  let closeDarkroom: () => void;
  let drawNoMore: () => void;
  let ignoreLoad: () => void;
  let keepMemory: () => void;
  let ringNoMore: () => Promise<void>;
  try {
    backend = await findBackend(siteUrl);
    tellPages(process.env, backend, { siteUrl, readerSockets: settings.readerSockets });
    // Must be set before the pages load: React's default is its slow development build.
    process.env.NODE_ENV ??= 'production';
    const pages = (await import(pathToFileURL(ENTRY).href)) as { handler: PagesHandler };
    const limits = new RequestLimits();
    const front = createPageCache({
      render: createRenderer(pages.handler, siteUrl),
      requesterOf(request, key) {
        const client = clientOf(request);
        return { client, admit: () => limits.take(client, costOf(key)) };
      },
      refuseTooMany,
    });
    await keepScripts(settings.builds);
    const files = staticFiles(resolve(DIST, 'client'), (request, response) => {
      if (!mayBePage(request)) return void orSay(request, response, front.sendNotFound);
      void limits.render(request, response, () => {
        giveHeaders(response);
        pages.handler(request, response, undefined, { taken: takenOf(response) });
      });
    });
    site = admitting(front.middleware(serveAssets(settings.builds, ASSETS, files)));
    const line = openSiteChannel(backend);
    watch = startInvalidation(front, line);
    front.compareWith(watch.requestComparison);
    closeDarkroom = attendDarkroom();
    drawNoMore = openDrawing();
    keepMemory = releaseIdleMemory();
    ignoreLoad = watchLoad({ at: settings.surgeAt, tell: line.reportOverload });
    ringNoMore = openRinging(openBell(backend));
    desk.begin({ backend, front, watch });
    parts.resolve({ hit: front.serveStored, site, backend: backend.passOn });
  } catch (error) {
    parts.reject(error);
    await Promise.all([close(listening), backend?.stop()]);
    throw error;
  }

  const loadNoMore = loadLater(resolve(DIST, 'server/chunks'));
  const { requestComparison: ask, stop: stopWatching } = watch;
  const { stop: stopBackend, url, publishableKey, secretKey, headers, mails } = backend;
  return {
    url: listening.url,
    siteUrl,
    backend: { url, publishableKey, secretKey, headers },
    mails,
    async warm() {
      // Pages that are rendered before the first comparison would be purged by it.
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

/**
 * Stores the scripts of this build for pages that stay open across a deploy. If the disk is full or read-only, only
 * those pages are affected, so the failure is logged.
 */
async function keepScripts(builds: string): Promise<void> {
  try {
    await keepBuild(builds, (await builtId(ROOT)) ?? 'unnamed', ASSETS);
  } catch (error) {
    log.warn(SERVER.notKept(builds, error instanceof Error ? error.message : String(error)));
  }
}
