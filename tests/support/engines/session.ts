export type Size = { width: number; height: number };

/** One sequence of W3C action commands. WebDriver and WebDriver BiDi take it in the same form. */
export type ActionSequence = {
  type: 'key' | 'pointer';
  id: string;
  parameters?: { pointerType: 'mouse' };
  actions: Record<string, unknown>[];
};

/** One window with its own cookies and stores, driven over WebDriver. Sizes and positions are CSS pixels. */
export type BrowserSession = {
  /** Opens an address and waits until it has loaded. Rejects if the browser shows its own error page instead. */
  navigate(url: string): Promise<void>;
  /** Calls a function in the page, and awaits a promise. Arguments and result are plain JSON. */
  call(declaration: string, args: unknown[]): Promise<unknown>;
  performActions(sequences: ActionSequence[]): Promise<void>;
  /** Chooses files in the file input that the function returns. */
  setFiles(declaration: string, args: unknown[], paths: string[]): Promise<void>;
  /** Sets the size of the viewport. */
  resize(size: Size): Promise<void>;
  /** Returns the viewport as PNG. */
  screenshot(): Promise<Buffer>;
  /** Returns script errors, console errors, policy violations and failed requests so far, one line each. */
  errors(): Promise<string[]>;
  close(): Promise<void>;
};

export type SessionOptions = { javaScriptEnabled?: boolean };

/** A running browser engine. Sessions are isolated from each other. */
export type Engine = {
  newSession(options?: SessionOptions): Promise<BrowserSession>;
  close(): Promise<void>;
};

/** Text that a page's script writes to the console when the content security policy is violated. */
export const VIOLATION = 'policy broken:';

/** Runs in the page. Reports policy violations as console errors. */
export function reportViolations(prefix: string): void {
  document.addEventListener('securitypolicyviolation', (event) => {
    const { violatedDirective, blockedURI, sourceFile, lineNumber, sample } = event;
    console.error(`${prefix} ${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber} ${sample}`);
  });
}
