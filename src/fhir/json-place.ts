import { stringEnd, unquote } from './text-cursor.ts';

/** Where a position in a JSON text is: a path such as `$.name[0].given`, and line and column from 1. */
export interface JsonPlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A property name, an index, or null in an object whose next name has not been read. */
type JsonStep = string | number | null;

/** The place of `at`, in a text that is valid JSON up to there. For messages only: it reads the text once more. */
export function placeOf(text: string, at: number): JsonPlace {
  const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
  return { path: printPath(stepsTo(text, at)), line: countLines(text, at), column: at - before };
}

function stepsTo(text: string, at: number): readonly JsonStep[] {
  const steps: JsonStep[] = [];
  let index = 0;
  while (index < at) {
    const character = text[index];
    const last = steps.length - 1;
    if (character === '"') {
      const close = closedEnd(text, index);
      // Within an unreadable name the path ends at the object.
      if (steps[last] === null && close <= at) steps[last] = nameIn(text.slice(index, close));
      index = close;
      continue;
    }
    if (character === '{') steps.push(null);
    else if (character === '[') steps.push(0);
    else if (character === '}' || character === ']') steps.pop();
    else if (character === ',' && last >= 0) {
      const step = steps[last];
      steps[last] = typeof step === 'number' ? step + 1 : null;
    }
    index++;
  }
  // A position at a property name means that property.
  if (index === at && text[at] === '"' && steps.at(-1) === null) {
    steps[steps.length - 1] = nameIn(text.slice(at, closedEnd(text, at)));
  }
  return steps;
}

/** The end of the string that begins at `start`; that of the text if the string is not closed. */
function closedEnd(text: string, start: number): number {
  try {
    return stringEnd(text, start);
  } catch {
    return text.length;
  }
}

/** The name between two quotes; as written if it is not valid, since no parser has accepted it. */
function nameIn(quoted: string): string {
  try {
    return unquote(quoted);
  } catch {
    return quoted.slice(1, -1);
  }
}

function printPath(steps: readonly JsonStep[]): string {
  let path = '$';
  for (const step of steps) {
    if (step === null) break;
    if (typeof step === 'number') path += `[${step}]`;
    else path += /^[A-Za-z_][A-Za-z0-9_]{0,60}$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 60))}]`;
  }
  return path;
}

function countLines(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}
