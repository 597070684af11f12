/** An update in an alert. */
export type AlertUpdate = {
  number: number;
  headline: string | null;
  /** Its first words. */
  text: string;
  key_event: boolean;
  urgency: string;
  published_at: string;
};

/** An alert to one person over one channel, as the database returns it. */
export type Delivery = {
  id: string;
  channel: 'push' | 'mail';
  /** Id of the alert, which all its deliveries share. */
  alert: string;
  urgent: boolean;
  /** Language of the coverage. */
  language: string;
  site: { name: string };
  coverage: { slug: string; headline: string; time_zone?: string };
  /** Newest first. Limited if there are many. */
  updates: AlertUpdate[];
  total: number;
  push: { endpoint: string; p256dh: string; auth: string } | null;
  mail: {
    /** E-mail address. */
    to: string;
    /** Secret of the unsubscribe link. */
    stop: string;
    follow: {
      /** Headline of the coverage or name of the topic. */
      name: string;
    };
  } | null;
};

/**
 * Outcome of a delivery. `gone`: the subscription or address no longer exists; `again`: not delivered, to be retried;
 * `refused`: not delivered, not to be retried.
 */
export type DeliveryOutcome = {
  outcome: 'sent' | 'gone' | 'again' | 'refused';
  /** Seconds to wait before retrying. */
  retry_after?: number;
  /** Reason in a few words, without personal data. */
  error?: string;
};
