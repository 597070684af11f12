// A module that is no TypeScript, in a way that leaves this file whole.
export default await import(`data:application/typescript,${'export default {'}`);
