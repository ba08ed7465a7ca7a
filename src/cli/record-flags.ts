import { isId } from '../fhir/reference.ts';
import type { Flag } from '../config/flag.ts';

/** `--type`, for the commands that can be limited to one resource type. */
export const typeFlag = {
  flag: 'type',
  value: 'TYPE',
  read: text => {
    if (/^[A-Z][A-Za-z]+$/.test(text)) return text;
    throw new Error(`is \`${text}\`, which is not the name of a resource type.`);
  },
  meaning: 'Only this resource type',
} as const satisfies Flag;

/** Reads the id of a record. Throws an Error for anything else. */
export function recordId(text: string): string {
  if (isId(text)) return text;
  throw new Error(`is \`${text}\`, but must be an id, without its type.`);
}
