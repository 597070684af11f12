/** Purpose of a command. `auto` is an automatic save of a draft. */
export type CommandKind =
  | 'auto'
  | 'save'
  | 'submit'
  | 'schedule'
  | 'publish'
  | 'change'
  | 'withdraw'
  | 'spike'
  | 'unschedule'
  | 'pin'
  | 'summary';
