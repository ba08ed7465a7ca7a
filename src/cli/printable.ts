/**
 * A text as a field of a line: without characters that would end the field or the line, or move the cursor of a
 * terminal.
 */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
