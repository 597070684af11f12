import {
  type CoverageSection,
  type CoverageSettings,
  createTopic,
  isContributorForm,
  isCoverageSection,
  readCoverageSettings,
  readTopics,
  setCanonicalUrl,
  setContributor,
  setLeadPhoto,
  settingsContent,
  settingsValues,
  submittedValues,
  type Topic,
  topicValues,
  updateTopic,
} from '../data/coverage-settings.ts';
import { type FormValues, fieldText, meanwhileOf, mustSave, renderedValues } from '../data/forms.ts';
import { type BackendClient, dataOf, runCommand } from '../data/result.ts';
import { type Session, sessionOf } from '../data/session.server.ts';
import type { Messages } from '../i18n/messages.ts';
import {
  type Refusal,
  type RefusalMessage,
  Refused,
  refusal,
  refusalOrThrow,
  sentenceOf,
} from '../i18n/refusals.ts';

/** A rejected form with its problems. */
export type NotSaved = {
  form: string;
  refusal: Refusal;
  /** Problems by field name. */
  problems: FormValues;
  /** Values that another person saved meanwhile, by field name. */
  meanwhile: FormValues;
};

type SettingsFormResponse = { goTo: string } | NotSaved;

/**
 * States that the form for a quiet coverage sets without scripts. `live`: the coverage continues. Ending is confirmed on
 * a page of its own.
 */
const QUIET_STATES = ['live', 'paused'] as const;

/** Handles a form of a coverage's settings. */
export async function handleSettingsForm(
  messages: Messages,
  backend: BackendClient,
  coverage: CoverageSettings,
  sent: FormData,
): Promise<SettingsFormResponse> {
  const form = fieldText(sent, 'form');
  try {
    return { goTo: await act(backend, coverage, form, sent) };
  } catch (error) {
    const reason = refusalOrThrow(error);
    const problems: FormValues = reason.field ? { [reason.field]: sentenceOf(reason, messages) } : {};
    return { form, refusal: reason, problems, meanwhile: meanwhileOf(error) };
  }
}

/** The path of the settings page with the result. */
const done = (slug: string, what: keyof Messages['settings']['done'], at: string) =>
  `/desk/${slug}/settings?done=${what}#${at}`;

async function act(
  backend: BackendClient,
  coverage: CoverageSettings,
  form: string,
  sent: FormData,
): Promise<string> {
  // Each form sets absolute values, so sending it twice has no further effect.
  const idempotency_key = crypto.randomUUID();
  if (isCoverageSection(form)) return done(await saveSection(backend, coverage, form, sent), form, form);
  if (isContributorForm(form)) {
    await setContributor(backend, coverage, form, sent);
    return done(coverage.slug, form, 'people');
  }
  const topic = {
    slug: fieldText(sent, 'topic_slug').trim(),
    name: fieldText(sent, 'name').trim(),
    description: fieldText(sent, 'description').trim(),
  };
  switch (form) {
    case 'topic':
      await saveTopic(backend, topic, sent);
      return done(coverage.slug, 'topic', 'topics');
    case 'make_topic': {
      const slug = await createTopic(backend, topic);
      const topics = [...new Set([...coverage.topics, slug])];
      await save(
        backend,
        idempotency_key,
        coverage,
        settingsContent('topics', { topics: topics.join(' ') }, {}),
      );
      return done(coverage.slug, 'topic', 'topics');
    }
    case 'state':
      await resolveQuiet(backend, coverage, sent);
      return '/desk';
  }
  throw new Refused('invalid');
}

/**
 * Saves a section if its fields have not changed since the form was loaded. Changes of other sections do not matter.
 * @returns the slug
 */
async function saveSection(
  backend: BackendClient,
  coverage: CoverageSettings,
  section: CoverageSection,
  sent: FormData,
): Promise<string> {
  const typed = submittedValues(section, sent);
  const now = settingsValues(section, coverage);
  if (!mustSave(renderedValues(sent), now, typed)) return coverage.slug;
  if (section === 'lead') {
    await setLeadPhoto(backend, coverage.id, typed.lead_photo ?? '');
    return coverage.slug;
  }
  if (section === 'canonical') {
    await setCanonicalUrl(backend, coverage.id, typed.canonical_url ?? '');
    return coverage.slug;
  }
  const saved = await save(
    backend,
    crypto.randomUUID(),
    coverage,
    settingsContent(section, typed, now),
  ).catch(async (error: unknown) => {
    if (!(error instanceof Refused) || error.refusal.code !== 'conflict') throw error;
    // The coverage changed between reading and saving, so the comparison is repeated with the new values.
    const newer = await readCoverageSettings(backend, coverage.slug);
    if (!newer) throw error;
    return { slug: await saveSection(backend, newer, section, sent) };
  });
  return saved.slug;
}

async function save(
  backend: BackendClient,
  idempotency_key: string,
  { id, version }: CoverageSettings,
  content: Record<string, string | number | string[] | null>,
): Promise<{ slug: string }> {
  const saved = await dataOf(
    backend.rpc('save_coverage', { idempotency_key, coverage_id: id, version, content }),
  );
  return saved as { slug: string };
}

/** Saves a topic if it has not changed since the form was loaded. */
async function saveTopic(backend: BackendClient, topic: Topic, sent: FormData): Promise<void> {
  const stored = (await readTopics(backend)).find(({ slug }) => slug === topic.slug);
  if (!stored) throw new Refused('not_found');
  if (mustSave(renderedValues(sent), topicValues(stored), topicValues(topic)))
    await updateTopic(backend, topic);
}

async function resolveQuiet(backend: BackendClient, { id }: CoverageSettings, sent: FormData): Promise<void> {
  const state = QUIET_STATES.find((state) => state === fieldText(sent, 'state'));
  if (!state) throw new Refused('invalid');
  if (state === 'live') await runCommand(backend, 'continue_coverage', { coverage_id: id });
  else await runCommand(backend, 'set_coverage_state', { coverage_id: id, state });
}

/** Ends a coverage. Returns why it was refused. */
export async function endCoverage(
  backend: BackendClient,
  { id }: CoverageSettings,
): Promise<Refusal | undefined> {
  const ending = runCommand(backend, 'set_coverage_state', { coverage_id: id, state: 'ended' });
  return ending.then(() => undefined, refusalOrThrow);
}

/**
 * The message of a result in the address, if one of these forms has it. Unknown values give undefined, so an address
 * cannot inject text.
 */
export function coverageSettingsMessage(messages: Messages, url: URL, forms: string[]): string | undefined {
  const what = url.searchParams.get('done') ?? '';
  return forms.includes(what)
    ? Object.entries(messages.settings.done).find(([name]) => name === what)?.[1]
    : undefined;
}

/**
 * The session for a form whose text must not be lost: returns a refusal instead of throwing, so that the page can show
 * the form again.
 * @param message for a person who is signed out
 */
export function sessionOrRefusal(
  locals: App.Locals,
  message: RefusalMessage,
): { session?: Session; refused?: Refusal } {
  try {
    const session = sessionOf(locals);
    return session.person ? { session } : { refused: refusal('signed_out', { message }) };
  } catch (error) {
    return { refused: refusalOrThrow(error) };
  }
}
