/**
 * The error for the operator: what failed, and the causes that add to it. It has the texts of the system, which users
 * search for, and no stack.
 */
export function explanation(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  let text = inWords(error);
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); { cause } = cause) {
    seen.add(cause);
    if (!text.includes(withoutStop(cause.message))) text = `${withoutStop(text)}: ${inWords(cause)}`;
  }
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function inWords(error: Error): string {
  const { code = '', path, port, syscall } = error as NodeJS.ErrnoException & { port?: number };
  const message = withoutStop(error.message);
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use by another program; choose one with \`--port\`, or 0 for any free one.`;
    case 'ENOENT':
      // Node names a folder and its parents so if the disk is read-only.
      if (syscall === 'mkdir') return `The folder \`${path}\` cannot be created; the disk may be read-only.`;
      return path === undefined ? message : `There is no file or folder \`${path}\`.`;
    case 'EACCES':
    case 'EPERM':
      return `The user of this process lacks the permission: ${message}.`;
    case 'EROFS':
      return `The disk is read-only: ${message}.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk is full: ${message}.`;
    case 'EIO':
      return `The disk reported an I/O error: ${message}. Check the disk.`;
    case 'EMFILE':
    case 'ENFILE':
      return `Too many files are open (\`ulimit -n\` raises the limit): ${message}.`;
    case 'ERR_SQLITE_ERROR':
      return `The store cannot be used: ${message}.`;
    default:
      return mistakes.has(error.name) ? `${message}. This is a bug: CRS_DEBUG=1 prints the stack.` : error.message;
  }
}

/** Errors that the program itself never throws. */
const mistakes: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'ReferenceError', 'AssertionError']);

const withoutStop = (text: string): string => text.replace(/\.$/, '');
