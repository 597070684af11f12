export type Size = { width: number; height: number };

/** One sequence of the W3C action commands, which both protocols take in the same form. */
export type ActionSequence = {
  type: 'key' | 'pointer';
  id: string;
  parameters?: { pointerType: 'mouse' };
  actions: Record<string, unknown>[];
};

/** One window with cookies and stores of its own, driven over WebDriver. Sizes and positions are CSS pixels. */
export type BrowserSession = {
  /** Opens an address and waits until it has loaded. Rejects where the browser shows an error of its own instead. */
  navigate(url: string): Promise<void>;
  /** Calls a function in the page. Arguments and result are plain JSON; a promise is awaited. */
  call(declaration: string, args: unknown[]): Promise<unknown>;
  performActions(sequences: ActionSequence[]): Promise<void>;
  /** Chooses files in the file input that the function returns. */
  setFiles(declaration: string, args: unknown[], paths: string[]): Promise<void>;
  /** Sets the size of the viewport. */
  resize(size: Size): Promise<void>;
  /** The viewport as PNG. */
  screenshot(): Promise<Buffer>;
  /** Script errors, console errors, policy violations and failed requests so far, one line each. */
  errors(): Promise<string[]>;
  close(): Promise<void>;
};

export type SessionOptions = { javaScriptEnabled?: boolean };

/** A running browser engine. Sessions are isolated from each other. */
export type Engine = {
  newSession(options?: SessionOptions): Promise<BrowserSession>;
  close(): Promise<void>;
};

/** Text that a page's script writes to the console where the content security policy is broken. */
export const VIOLATION = 'policy broken:';

/** Runs in the page: reports policy violations as console errors. */
export function reportViolations(prefix: string): void {
  document.addEventListener('securitypolicyviolation', (event) => {
    const { violatedDirective, blockedURI, sourceFile, lineNumber, sample } = event;
    console.error(`${prefix} ${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber} ${sample}`);
  });
}
