// Imports a module with a syntax error, while this file is valid.
export default await import(`data:application/typescript,${'export default {'}`);
