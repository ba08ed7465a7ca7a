/** The matching pattern of a path, with the decoded values of its variable segments. */
export interface Match<T> {
  readonly pattern: string;
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the first pattern that matches a path: `/r4/:partition/:type`, where a name matches one non-empty segment, and
 * `*` at the end a non-empty rest (`rest`, as sent). Case matters, and so does a trailing slash. Paths are as sent,
 * with well-formed escapes.
 */
export function createPaths<T>(patterns: readonly (readonly [string, T])[]): (path: string) => Match<T> | undefined {
  const compiled = patterns.map(([pattern, value]) => ({ pattern, value, ...compile(pattern) }));
  const longest = Math.max(0, ...compiled.map(({ parts }) => parts.length)) + 1;
  // By the number of segments: a path of more than any pattern has fits the same open ones.
  const ofLength = Array.from({ length: longest + 1 }, (_, length) =>
    compiled.filter(({ parts, open }) => (open ? length > parts.length : length === parts.length)),
  );
  return path => {
    const segments = path.split('/');
    for (const { pattern, value, parts, open } of ofLength[Math.min(segments.length, longest)] ?? []) {
      if (open && segments.length === parts.length + 1 && segments.at(-1) === '') continue;
      if (areMatched(parts, segments)) {
        const rest = open ? { rest: segments.slice(parts.length).join('/') } : {};
        return { pattern, value, params: { ...paramsOf(parts, segments), ...rest } };
      }
    }
    return undefined;
  };
}

function areMatched(parts: readonly Part[], segments: readonly string[]): boolean {
  for (const { at, name, text } of parts)
    if (name === undefined ? segments[at] !== text : segments[at] === '') return false;
  return true;
}

/** A segment, the `at`-th; `name` if it is variable. */
interface Part {
  readonly at: number;
  readonly name: string | undefined;
  readonly text: string;
}

function compile(pattern: string): { readonly parts: readonly Part[]; readonly open: boolean } {
  const open = pattern.endsWith('/*');
  const texts = (open ? pattern.slice(0, -2) : pattern).split('/');
  return {
    parts: texts.map((text, at) => ({ at, text, name: text.startsWith(':') ? text.slice(1) : undefined })),
    open,
  };
}

function paramsOf(parts: readonly Part[], segments: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const { at, name } of parts) {
    const segment = segments[at] ?? '';
    if (name !== undefined) params[name] = segment.includes('%') ? decodeURIComponent(segment) : segment;
  }
  return params;
}
