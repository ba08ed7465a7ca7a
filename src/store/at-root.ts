/** A digest, and behind it the public URL on which its entries depend too: both are kept as one text. */
export function atRoot(digest: string, root: string | undefined): string {
  return root === undefined ? digest : `${digest} ${root}`;
}

/** The public URL in such a text. */
export function rootIn(text: string): string | undefined {
  const [, root] = text.split(' ');
  return root;
}

/** Whether two such texts differ in their public URL alone; not where one has none. */
export function differInRoot(one: string, other: string): boolean {
  const [digest, root] = one.split(' ');
  const [otherDigest, otherRoot] = other.split(' ');
  if (root === undefined || root === '' || otherRoot === undefined || otherRoot === '') return false;
  return digest === otherDigest && root !== otherRoot;
}
