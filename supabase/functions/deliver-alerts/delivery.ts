/** An update that somebody is told of. */
export type ToldUpdate = {
  number: number;
  headline: string | null;
  /** Its first words. */
  text: string;
  key_event: boolean;
  urgency: string;
  published_at: string;
};

/** What one person is to be told in one way, as the database hands it out. */
export type Delivery = {
  id: string;
  channel: 'push' | 'mail';
  /** What they are told, which others are told too. */
  alert: string;
  urgent: boolean;
  /** Of the coverage. */
  language: string;
  site: { name: string };
  coverage: { slug: string; headline: string; time_zone?: string };
  /** Newest first, and not all where there are many. */
  updates: ToldUpdate[];
  total: number;
  push: { endpoint: string; p256dh: string; auth: string } | null;
  mail: {
    /** The address. */
    to: string;
    /** The secret that ends these mails. */
    stop: string;
    follow: {
      /** A coverage's headline, or a topic's name. */
      name: string;
    };
  } | null;
};

/**
 * What became of it. `gone`: nobody is there any more; `again`: nobody was told, and another try may do; `refused`: none
 * will.
 */
export type Outcome = {
  outcome: 'sent' | 'gone' | 'again' | 'refused';
  /** Seconds that the other side asks to wait. */
  retry_after?: number;
  /** Why, in a few words that name nobody. */
  error?: string;
};
