import type { RequestListener, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { createAlertClient } from './alert-client.ts';
import { preloadModules, serveAssets, staticFiles, storeBuild } from './assets.ts';
import { type ConnectedBackend, openBackend, setPageEnvironment } from './backend.ts';
import type { BackendEndpoint, Launch } from './backend-process.ts';
import { startBasemap } from './basemap/basemap.server.ts';
import { assertBuilt, builtId, DIST, ROOT } from './build/build-id.ts';
import { startDeliveryScheduler } from './delivery-scheduler.ts';
import { handleUncaughtErrors, orRefuse } from './errors.ts';
import { createFilingNoticeClient } from './filing-notices.ts';
import { clientOf, ProxyCheck } from './forwarding.ts';
import { createMonitoring } from './health.ts';
import { startImageProcessing } from './image-processing/image-processor.server.ts';
import { close, type Listening, type Shutdown } from './listening.ts';
import { monitorLoad, releaseIdleMemory } from './load.ts';
import { startOgImageRenderer } from './og-image/renderer.server.ts';
import {
  checkRequests,
  mayBePage,
  openPort,
  type ServerParts,
  serveRequests,
  setDefaultHeaders,
} from './outer-server.ts';
import { type Invalidation, openSiteChannel, startInvalidation } from './page-cache/invalidation.ts';
import { createPageCache } from './page-cache/middleware.ts';
import { createRenderer, loadPages, warmPages } from './render-pages.ts';
import { RequestLimits, refuseTooMany } from './request-limits.ts';
import { costOf } from './route-limits.ts';
import type { ServerSettings } from './settings.ts';
import { startSiteImages } from './site-image/site-image.server.ts';
import { createTableReadingClient, startTableReader } from './table-reader.ts';

const ASSETS = resolve(DIST, 'client/_astro');

export type RunningSite = {
  /** Origin on which the server listens. */
  url: string;
  /** Public address of the site. */
  siteUrl: string;
  /** The backend with its secret key. Never pass it to a page. */
  backend: BackendEndpoint;
  /** A sentence that says where the backend delivers mail; undefined when a mail server or a Supabase project does. */
  mails?: string;
  /** Renders the most requested pages into the cache. Returns whether that succeeded. */
  warm(): Promise<boolean>;
  /** Finishes the requests in progress, then stops the backend if this process started it. */
  stop(leaving?: Shutdown): Promise<void>;
};

/**
 * Starts the built site and its backend on one port, in this process.
 * @throws NotBuilt, PortInUse or BackendFailed, after stopping what was started
 */
export async function startSite(
  settings: ServerSettings,
  launch: Omit<Launch, 'siteUrl'> = {},
): Promise<RunningSite> {
  assertBuilt();
  const listening = await openPort(settings.host, settings.port);
  return openSite(settings, listening, (siteUrl) => openBackend(settings.backend, { siteUrl, ...launch }));
}

/**
 * Serves the built site on a port. Requests that arrive during the start wait. It sets environment variables of this
 * process, because the built pages read them.
 */
export async function openSite(
  settings: ServerSettings,
  listening: Listening,
  connect: (siteUrl: string) => Promise<ConnectedBackend>,
): Promise<RunningSite> {
  handleUncaughtErrors();
  const siteUrl = settings.siteUrl ?? listening.url;

  const parts = Promise.withResolvers<ServerParts>();
  const proxyCheck = new ProxyCheck({ proxies: settings.proxies, siteUrl });
  const monitoring = createMonitoring(settings, proxyCheck);
  serveRequests(
    listening,
    parts.promise,
    { siteUrl, proxies: settings.proxies, proxyCheck },
    monitoring.handle,
  );
  let backend: ConnectedBackend | undefined;
  let site: RequestListener;
  let invalidation: Invalidation | undefined;
  let stopImageProcessor: () => void;
  let stopRenderer: () => void;
  let stopSiteImages: () => void;
  let stopBasemap: () => void;
  let stopLoadMonitor: () => void;
  let stopMemoryRelease: () => void;
  let stopAlerts: () => Promise<void>;
  let stopNotices: () => Promise<void>;
  let stopTables: () => void;
  try {
    backend = await connect(siteUrl);
    setPageEnvironment(process.env, backend, { siteUrl, readerSockets: settings.readerSockets });
    const pages = await loadPages();
    const limits = new RequestLimits();
    const pageCache = createPageCache({
      render: createRenderer(pages, siteUrl),
      requesterOf(request, key) {
        const client = clientOf(request);
        return { client, admit: () => limits.take(client, costOf(key)) };
      },
      refuseTooMany,
    });
    await storeScripts(settings.builds);
    const files = staticFiles(resolve(DIST, 'client'), (request, response) => {
      if (!mayBePage(request)) return void orRefuse(request, response, pageCache.sendNotFound);
      void limits.render(request, response, () => {
        setDefaultHeaders(response);
        pages(request, response, undefined, { drained: drainOf(response) });
      });
    });
    site = checkRequests(pageCache.middleware(serveAssets(settings.builds, ASSETS, files)));
    const channel = openSiteChannel(backend);
    invalidation = startInvalidation(pageCache, channel);
    pageCache.compareWith(invalidation.requestComparison);
    stopImageProcessor = startImageProcessing();
    stopRenderer = startOgImageRenderer();
    stopSiteImages = startSiteImages();
    stopBasemap = await startBasemap(settings.basemap);
    stopMemoryRelease = releaseIdleMemory();
    stopLoadMonitor = monitorLoad({ threshold: settings.surgeAt, report: channel.reportOverload });
    stopAlerts = startDeliveryScheduler(createAlertClient(backend));
    stopNotices = startDeliveryScheduler(createFilingNoticeClient(backend));
    stopTables = startTableReader(createTableReadingClient(backend));
    monitoring.start({ backend, pageCache, invalidation });
    parts.resolve({ serveStored: pageCache.serveStored, site, backend: backend.proxy });
  } catch (error) {
    parts.reject(error);
    await Promise.all([close(listening), backend?.stop()]);
    throw error;
  }

  const cancelPreload = preloadModules(resolve(DIST, 'server/chunks'));
  const { requestComparison, stop: stopInvalidation } = invalidation;
  const { stop: stopBackend, url, publishableKey, secretKey, headers, mails } = backend;
  return {
    url: listening.url,
    siteUrl,
    backend: { url, publishableKey, secretKey, headers },
    mails,
    async warm() {
      // Pages that are rendered before the first comparison would be purged by it.
      await requestComparison();
      return warmPages(site, siteUrl);
    },
    async stop(leaving) {
      monitoring.stop();
      cancelPreload();
      stopLoadMonitor();
      stopMemoryRelease();
      stopTables();
      await Promise.all([stopAlerts(), stopNotices(), close(listening, leaving)]);
      stopInvalidation();
      stopImageProcessor();
      stopRenderer();
      stopSiteImages();
      stopBasemap();
      await stopBackend();
    },
  };
}

/**
 * Stores the scripts of this build for pages that stay open across a deploy. If the disk is full or read-only, only
 * those pages are affected, so the failure is logged.
 */
async function storeScripts(builds: string): Promise<void> {
  try {
    await storeBuild(builds, (await builtId(ROOT)) ?? 'unnamed', ASSETS);
  } catch (error) {
    log.warn(SERVER.notKept(builds, error instanceof Error ? error.message : String(error)));
  }
}

/**
 * Resolves when the written bytes have left, or the client has disconnected. Astro reads the stream of a response as
 * fast as it can, so long responses await this before each chunk.
 */
const drainOf = (response: ServerResponse) => (): Promise<void> =>
  new Promise((resolve) => {
    if (!response.writableNeedDrain || response.destroyed) return resolve();
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
