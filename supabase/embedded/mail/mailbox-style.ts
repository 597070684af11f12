/** The product's look, in as much CSS as two pages need. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #16130f; --paper: #fdfbf6; --soft: #5c554b; --rule: #d9d2c5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ece7dd; --paper: #14120f; --soft: #aaa294; --rule: #3a352d; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-inline-size: 60rem; padding: 1.5rem 1rem 3rem;
  background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 ui-serif, Charter, "Iowan Old Style", "Source Serif 4", Georgia, serif;
}
a { color: inherit; }
h1 { margin-block: 0 0.5rem; font-size: 1.8rem; line-height: 1.2; text-wrap: balance; }
header { border-block-start: 3px solid; padding-block-start: 0.75rem; margin-block-end: 1.5rem; }
header p { margin: 0; }
p, dl, pre { margin-block: 0 1rem; max-inline-size: 34rem; }
.note, th, time, dt { font-family: ui-sans-serif, system-ui, sans-serif; font-size: 0.875rem; color: var(--soft); }
table { inline-size: 100%; border-collapse: collapse; }
th, td { padding: 0.5rem 1rem 0.5rem 0; border-block-end: 1px solid var(--rule); text-align: start; vertical-align: baseline; }
th { font-weight: normal; }
td { overflow-wrap: anywhere; }
time { font-variant-numeric: tabular-nums; white-space: nowrap; }
dl { display: grid; align-items: baseline; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.code { font: 600 1.25rem ui-sans-serif, system-ui, sans-serif; font-variant-numeric: tabular-nums; letter-spacing: 0.1em; }
h2 { margin-block: 2rem 0.5rem; font-size: 1.25rem; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; border-inline-start: 3px solid var(--rule); padding-inline-start: 1rem; }
iframe { inline-size: 100%; block-size: 32rem; border: 1px solid var(--rule); background: var(--paper); }
`;
