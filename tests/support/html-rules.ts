import type { ConfigData } from 'html-validate';

/** What html-validate recommends, without the rules that are about taste, or about pages of another kind than ours. */
export const HTML_RULES = {
  extends: ['html-validate:recommended'],
  rules: {
    // Astro writes no doctype in capitals and closes no void element; both are as good.
    'doctype-style': 'off',
    'void-style': 'off',
    // A line is as long as it is: these pages are written for readers, by the byte.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // React writes `dateTime` and `srcSet`: HTML knows no case.
    'attr-case': 'off',
    'attribute-boolean-style': 'off',
    'valid-id': ['error', { relaxed: true }],
  },
} satisfies ConfigData;
