/**
 * Copies of what is kept of a large Bundle while the rest is read: a string that was cut out of a longer one would keep
 * this in memory.
 */
export const ownCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Bytes of a Bundle up to which the values of its entries stay in memory, so that they are not parsed twice. */
export const mostKept = 2 * 1024 * 1024;

/** Copies the text of a record in two parts, as `ownCopy` does with a value. */
export const ownParts = ({ before, after }: Parts): Parts => ({ before: ownText(before), after: ownText(after) });

interface Parts {
  readonly before: string;
  readonly after: string;
}

const ownText = (text: string): string => Buffer.from(text).toString();
