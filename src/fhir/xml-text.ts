/** A text of XML with the characters that its entities mean; unknown entities are unchanged. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(entities, (whole: string, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}

const entities = /&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
