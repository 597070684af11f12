import { readFileSync } from 'node:fs';
import { createElement, type FunctionComponent, type ReactNode, useEffect, useState } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

/* The editor's script with stand-ins for WordPress's components. tests/wordpress has no scripts of the editor. */

type Attributes = {
  coverage: string;
  layout: string;
  updates: number;
  heading: number;
  isMainAddress: boolean;
};
type Block = {
  title: string;
  edit: FunctionComponent<{ attributes: Attributes; setAttributes: () => void }>;
  save: () => unknown;
};

const DEFAULTS: Attributes = { coverage: '', layout: 'full', updates: 10, heading: 2, isMainAddress: false };

const MESSAGES = {
  title: 'Live coverage',
  description: 'Shows a live coverage.',
  coverage: 'Coverage',
  choose: 'Choose a coverage',
  loading: 'Loading…',
  none: 'None',
  layout: 'Layout',
  layouts: { full: 'Summary and updates', strip: 'One line' },
  updates: 'Number of updates',
  heading: 'Level',
  mainAddress: 'Main address',
  mainAddressHelp: 'Help',
};

type StandInProps = { label?: string; value?: unknown; block?: string; children?: ReactNode };

/** A component that shows its name, label and value. */
const standIn =
  (name: string): FunctionComponent<StandInProps> =>
  ({ label, value, block, children }) =>
    createElement(
      'div',
      { 'data-name': name, title: label, 'data-value': value, 'data-block': block },
      children,
    );

/** Runs the script, and returns the block that it registers. */
function loadBlock(): Block {
  const registered: Record<string, Block> = {};
  const wp = {
    apiFetch: () => new Promise(() => {}),
    blockEditor: { useBlockProps: () => ({}), InspectorControls: standIn('InspectorControls') },
    blocks: {
      registerBlockType(name: string, block: Block) {
        registered[name] = block;
      },
    },
    components: new Proxy({}, { get: (_, name) => standIn(String(name)) }),
    element: { createElement, useEffect, useState },
    serverSideRender: standIn('ServerSideRender'),
  };
  const source = readFileSync('integrations/wordpress/block/editor.js', 'utf8');
  new Function('window', source)({
    wp,
    stoppressLiveCoverage: { messages: MESSAGES, limits: { updates: 50 } },
  });
  const block = registered['stoppress/live-coverage'];
  if (!block) throw new Error('The script registers the block.');
  return block;
}

const edit = (attributes: Partial<Attributes>) =>
  renderToStaticMarkup(
    createElement(loadBlock().edit, { attributes: { ...DEFAULTS, ...attributes }, setAttributes: () => {} }),
  );

test('the block asks for a coverage first', () => {
  const html = edit({});
  expect(html).toContain('data-name="Placeholder" title="Live coverage"');
  expect(html).toContain('Loading…');
  expect(html).not.toContain('ServerSideRender');
});

test('a chosen coverage is previewed by the server, with its settings beside it', () => {
  const html = edit({ coverage: 'flood', heading: 3 });
  expect(html).toContain('data-name="ServerSideRender" data-block="stoppress/live-coverage"');
  expect(html).toContain('title="Layout" data-value="full"');
  expect(html).toContain('title="Number of updates" data-value="10"');
  expect(html).toContain('title="Level" data-value="3"');
});

test('the number of updates belongs to the first layout', () => {
  expect(edit({ coverage: 'flood', layout: 'strip' })).not.toContain('Number of updates');
});

test('the post stores nothing but the settings', () => {
  expect(loadBlock().save()).toBeNull();
});

test('the attributes have the same defaults as in block.json', () => {
  const { attributes } = JSON.parse(readFileSync('integrations/wordpress/block/block.json', 'utf8')) as {
    attributes: Record<string, { default: unknown }>;
  };
  expect(Object.fromEntries(Object.entries(attributes).map(([name, one]) => [name, one.default]))).toEqual(
    DEFAULTS,
  );
});
