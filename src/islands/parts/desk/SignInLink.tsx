import { desk as messages } from '../../../lib/text/desk.ts';

/** The way to sign in and back to a desk, in another tab: what was typed in this one stays. */
export function SignInLink({ slug }: { slug: string }) {
  return (
    <a href={`/sign-in?next=/desk/${slug}`} target="_blank" rel="noopener">
      {messages.status.signIn}
    </a>
  );
}
