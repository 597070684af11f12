import { randomUUID } from 'node:crypto';
import { contentOf, createSharedCoverage, type TestContext } from '../../support/actors.ts';
import { call, callServer, paragraph } from '../../support/newsroom.ts';

export type Scene = {
  coverage_id: string;
  update_id: string;
  version: number;
  photo_id?: string;
  replacement_id?: string;
};
type Author = 'reporter' | 'contributor';

/** Creates a draft or a published update of a staff member. */
async function written(context: TestContext, by: Author, published = false): Promise<Scene> {
  const coverage_id = await createSharedCoverage(context);
  const update_id = randomUUID();
  const content = contentOf('Written.');
  const { client } = context.actors[by];
  let { version } = await call<Scene>(client, 'save_update', { coverage_id, update_id, content });
  if (published) {
    const args = { coverage_id, update_id, content, version };
    ({ version } = await call<Scene>(context.actors.editor.client, 'publish_update', args));
  }
  return { coverage_id, update_id, version };
}

const IN_A_DAY = new Date(Date.now() + 24 * 3600_000).toISOString();

/** Creates a draft that an editor has scheduled. */
async function scheduled(context: TestContext, by: Author): Promise<Scene> {
  const scene = await written(context, by);
  const args = { ...scene, content: contentOf('Written.'), scheduled_for: IN_A_DAY };
  const { version } = await call<Scene>(context.actors.editor.client, 'schedule_update', args);
  return { ...scene, version };
}

/** Creates a photo of the contributor, unused or in a published update of the reporter. */
async function photographed(context: TestContext, published = false): Promise<Scene> {
  const scene = published ? await written(context, 'reporter', true) : await blank(context);
  const photo_id = randomUUID();
  const { coverage_id, update_id, version } = scene;
  await call(context.actors.contributor.client, 'save_photo', {
    coverage_id,
    photo_id,
    content: { alt: 'A dam.' },
  });
  if (published) {
    const content = { body: [paragraph('Written.'), { type: 'photo', photo: photo_id }] };
    await call(context.actors.editor.client, 'revise_update', { update_id, version, content });
  }
  return { ...scene, photo_id };
}

/** The same, with the photo or the whole update removed from the public page since. */
async function onceShown(context: TestContext, act: 'revise_update' | 'withdraw_update'): Promise<Scene> {
  const scene = await photographed(context, true);
  const { update_id } = scene;
  const content = { version: scene.version + 1, content: contentOf('Written.') };
  const args = { update_id, ...(act === 'revise_update' ? content : { reason: 'Not true.' }) };
  await call(context.actors.editor.client, act, args);
  return scene;
}

/** The same, with a photo of the reporter that could replace it. */
async function replaceable(context: TestContext): Promise<Scene> {
  const scene = await photographed(context, true);
  const [replacement_id, { coverage_id }] = [randomUUID(), scene];
  const announced = { coverage_id, photo_id: replacement_id, content: { alt: 'The right dam.' } };
  await call(context.actors.reporter.client, 'save_photo', announced);
  const renditions = [{ width: 480, height: 320, bytes: 9_000 }];
  await callServer(context.service, 'mark_photo_ready', {
    photo_id: replacement_id,
    renditions,
    placeholder_colour: '#0a1b2c',
  });
  return { ...scene, replacement_id };
}

/** Creates a live coverage without updates. */
export const blank = async (context: TestContext): Promise<Scene> => ({
  coverage_id: await createSharedCoverage(context),
  update_id: randomUUID(),
  version: 1,
});

/** The commands of docs/permissions.md, each with a scene and arguments. */
export const RIGHTS: {
  right: string;
  act: string;
  scene: (context: TestContext) => Promise<Scene>;
  args: (scene: Scene, context: TestContext) => Record<string, unknown>;
}[] = [
  {
    right: 'write an update',
    act: 'save_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({ coverage_id, update_id, content: contentOf('New.') }),
  },
  {
    right: 'edit the reporter’s draft',
    act: 'save_update',
    scene: (context: TestContext) => written(context, 'reporter'),
    args: (scene) => ({ ...scene, content: contentOf('Mended.') }),
  },
  {
    right: 'edit the contributor’s draft',
    act: 'save_update',
    scene: (context: TestContext) => written(context, 'contributor'),
    args: (scene) => ({ ...scene, content: contentOf('Mended.') }),
  },
  {
    right: 'submit the contributor’s draft',
    act: 'submit_update',
    scene: (context: TestContext) => written(context, 'contributor'),
    args: ({ update_id, version }) => ({ update_id, version }),
  },
  {
    right: 'spike the reporter’s draft',
    act: 'spike_update',
    scene: (context: TestContext) => written(context, 'reporter'),
    args: ({ update_id, version }) => ({ update_id, version }),
  },
  {
    right: 'schedule a new update',
    act: 'schedule_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({
      coverage_id,
      update_id,
      content: contentOf('New.'),
      scheduled_for: IN_A_DAY,
    }),
  },
  {
    right: 'schedule the contributor’s draft',
    act: 'schedule_update',
    scene: (context: TestContext) => written(context, 'contributor'),
    args: (scene) => ({ ...scene, content: contentOf('Ready.'), scheduled_for: IN_A_DAY }),
  },
  {
    right: 'unschedule the contributor’s update',
    act: 'unschedule_update',
    scene: (context: TestContext) => scheduled(context, 'contributor'),
    args: ({ update_id, version }) => ({ update_id, version }),
  },
  {
    right: 'edit the reporter’s scheduled update',
    act: 'save_update',
    scene: (context: TestContext) => scheduled(context, 'reporter'),
    args: (scene) => ({ ...scene, content: contentOf('Mended.') }),
  },
  {
    right: 'publish a new update',
    act: 'publish_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({ coverage_id, update_id, content: contentOf('New.') }),
  },
  {
    right: 'publish an urgent update',
    act: 'publish_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({
      coverage_id,
      update_id,
      content: contentOf('New.', { urgency: 'urgent' }),
    }),
  },
  {
    right: 'save an urgent update',
    act: 'save_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({
      coverage_id,
      update_id,
      content: contentOf('New.', { urgency: 'urgent' }),
    }),
  },
  {
    right: 'publish the reporter’s draft',
    act: 'publish_update',
    scene: (context: TestContext) => written(context, 'reporter'),
    args: (scene) => ({ ...scene, content: contentOf('Ready.') }),
  },
  {
    right: 'publish the contributor’s draft',
    act: 'publish_update',
    scene: (context: TestContext) => written(context, 'contributor'),
    args: (scene) => ({ ...scene, content: contentOf('Ready.') }),
  },
  ...(['reporter', 'contributor'] as const).flatMap((author) => [
    {
      right: `revise the ${author}’s published update`,
      act: 'revise_update',
      scene: (context: TestContext) => written(context, author, true),
      args: ({ update_id, version }: Scene) => ({ update_id, version, content: contentOf('Revised.') }),
    },
    {
      right: `correct the ${author}’s published update`,
      act: 'correct_update',
      scene: (context: TestContext) => written(context, author, true),
      args: ({ update_id, version }: Scene) => ({
        update_id,
        version,
        content: contentOf('Right.'),
        note: 'A name.',
      }),
    },
    {
      right: `withdraw the ${author}’s published update`,
      act: 'withdraw_update',
      scene: (context: TestContext) => written(context, author, true),
      args: ({ update_id }: Scene) => ({ update_id, reason: 'Not true.' }),
    },
  ]),
  {
    right: 'redact an earlier version of the reporter’s published update',
    act: 'redact_revision',
    scene: (context: TestContext) => written(context, 'reporter', true),
    args: ({ update_id }) => ({ update_id, version: 1, reason: 'A name.' }),
  },
  {
    right: 'raise a published update to urgent',
    act: 'revise_update',
    scene: (context: TestContext) => written(context, 'reporter', true),
    args: ({ update_id, version }) => ({
      update_id,
      version,
      content: contentOf('Written.', { urgency: 'urgent' }),
    }),
  },
  {
    right: 'announce a photo',
    act: 'save_photo',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({ coverage_id, photo_id: update_id, content: { alt: 'A dam.' } }),
  },
  {
    right: 'register a video or audio file',
    act: 'save_media_file',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({ coverage_id, file_id: update_id, format: 'mp4' }),
  },
  {
    right: 'change the texts of the contributor’s photo',
    act: 'save_photo',
    scene: (context: TestContext) => photographed(context),
    args: ({ coverage_id, photo_id }) => ({ coverage_id, photo_id, content: { alt: 'A gate.' } }),
  },
  {
    right: 'cancel the contributor’s photo',
    act: 'cancel_photo',
    scene: (context: TestContext) => photographed(context),
    args: ({ photo_id }) => ({ photo_id }),
  },
  {
    right: 'change the texts of the contributor’s photo in the reporter’s published update',
    act: 'save_photo',
    scene: (context: TestContext) => photographed(context, true),
    args: ({ coverage_id, photo_id }) => ({ coverage_id, photo_id, content: { alt: 'A gate.' } }),
  },
  ...(['revise_update', 'withdraw_update'] as const).map((act) => ({
    right: `change the texts of the contributor’s photo, formerly in the reporter’s published update, after ${act}`,
    act: 'save_photo',
    scene: (context: TestContext) => onceShown(context, act),
    args: ({ coverage_id, photo_id }: Scene) => ({ coverage_id, photo_id, content: { alt: 'A gate.' } }),
  })),
  {
    right: 'remove the contributor’s photo, formerly in the reporter’s update',
    act: 'remove_photo',
    scene: (context: TestContext) => onceShown(context, 'revise_update'),
    args: ({ photo_id }) => ({ photo_id }),
  },
  {
    right: 'remove the contributor’s photo',
    act: 'remove_photo',
    scene: (context: TestContext) => photographed(context),
    args: ({ photo_id }) => ({ photo_id }),
  },
  {
    right: 'remove the contributor’s photo from the reporter’s published update',
    act: 'remove_photo',
    scene: (context: TestContext) => photographed(context, true),
    args: ({ photo_id }) => ({ photo_id, note: 'Not ours.' }),
  },
  {
    right: 'replace a photo in the reporter’s published update',
    act: 'replace_photo',
    scene: replaceable,
    args: ({ photo_id, replacement_id }) => ({ photo_id, replacement_id }),
  },
  {
    right: 'pin an update',
    act: 'pin_update',
    scene: (context: TestContext) => written(context, 'reporter', true),
    args: ({ coverage_id, update_id }) => ({ coverage_id, update_id }),
  },
  {
    right: 'write the summary',
    act: 'set_summary',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id, version: 1, summary: [paragraph('So far.')] }),
  },
  {
    right: 'change a coverage',
    act: 'save_coverage',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id, version: 1, content: { headline: 'Another' } }),
  },
  {
    right: 'end a coverage',
    act: 'set_coverage_state',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id, state: 'ended' }),
  },
  {
    right: 'continue a quiet coverage',
    act: 'continue_coverage',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id }),
  },
  {
    right: 'add a contributor',
    act: 'set_coverage_member',
    scene: blank,
    args: ({ coverage_id }, context) => ({ coverage_id, person_id: context.actors.outsider.id }),
  },
];
