/** How full a cache is, and what that costs. */
export type Sizes = {
  copies: number;
  bytes: number;
  /** Went for want of room, so far. */
  evicted: number;
  rendering: number;
  waiting: number;
  /** Found no room to wait, so far. */
  refused: number;
};
