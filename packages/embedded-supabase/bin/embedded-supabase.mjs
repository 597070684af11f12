#!/usr/bin/env node
// JavaScript that any Node can read, so that an old one gets an explanation instead of a syntax error.
const REQUIRED_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < REQUIRED_NODE) {
  console.error(`embedded-supabase needs Node ${REQUIRED_NODE} or later. This is ${process.versions.node}.`);
  process.exit(1);
}
await import('../src/cli.ts');
